#pragma once

// Tries out, once each and in a few microseconds, what a single-host job needs from the kernel. A sandbox may
// have every version number right and still refuse the call; only trying tells. Nothing is left behind.

#include "cli/doctor/facts.h"

namespace lockstep::doctor {

// memfd_create(), and seals that hold: peers must be able to trust the size of memory they map.
Trial try_sealed_memory();

// Two mappings of one memfd show the same bytes, and a futex lives in them: how ranks talk and wait.
Trial try_shared_mapping();

// pidfd_open(): how a rank notices that another one died.
Trial try_process_descriptors();

// An abstract Unix socket, credentials of the peer, and a descriptor passed through it: how ranks meet.
Trial try_unix_sockets();

}  // namespace lockstep::doctor
