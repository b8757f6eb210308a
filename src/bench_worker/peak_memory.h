#pragma once

// How much memory this process has needed.

#include <cstddef>

namespace lockstep::bench {

// The most that was resident at any time, shared memory included: VmHWM of the kernel. Throws Error{kSystem} when
// the kernel does not say.
std::size_t peak_rss_bytes();

}  // namespace lockstep::bench
