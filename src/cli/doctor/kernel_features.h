#pragma once

// Tries out, once each and in a few microseconds, what a single-host job needs from the kernel. A sandbox may have the
// right version and still refuse a call; only trying tells. Nothing is left behind.

#include "cli/doctor/facts.h"

namespace lockstep::doctor {

// memfd_create(), and effective seals: peers must be able to trust the size of memory they map.
Trial try_sealed_memory();

// Two mappings of one memfd show the same bytes, and a futex works in them: how ranks communicate and wait.
Trial try_shared_mapping();

// pidfd_open(): how a rank detects that another one died.
Trial try_process_descriptors();

// An abstract Unix socket, credentials of the peer, and a descriptor passed through it: the rendezvous.
Trial try_unix_sockets();

}  // namespace lockstep::doctor
