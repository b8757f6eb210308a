#pragma once

// How much data the caches of this machine hold before it has to come from memory.

#include <cstdint>
#include <optional>

#include "cli/doctor/host_files.h"

namespace lockstep::bench {

// All last-level caches together, each counted once however many cores share it. Nothing when the machine does not say,
// as some virtual ones do; a virtual machine that says it may have less, since it shares the cache with others.
std::optional<std::uint64_t> last_level_cache_bytes(const doctor::HostFiles& files);

}  // namespace lockstep::bench
