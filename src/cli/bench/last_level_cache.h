#pragma once

// How much data the caches of this machine hold.

#include <cstdint>
#include <optional>

#include "cli/doctor/host_files.h"

namespace lockstep::bench {

// The total of all last-level caches, each counted once however many cores share it. Nothing if the machine does not
// report it, as some virtual ones do not. A virtual machine may have less than it reports, since it shares the cache
// with others.
std::optional<std::uint64_t> last_level_cache_bytes(const doctor::HostFiles& files);

}  // namespace lockstep::bench
