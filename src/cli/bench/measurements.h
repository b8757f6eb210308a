#pragma once

// The measurements of a team of training workers so far.

#include <cstddef>
#include <vector>

namespace lockstep::bench {

struct Measurements {
  std::vector<double> times_ms = {};   // of the slowest rank in each step
  std::size_t peak_rss_bytes = 0;      // of the largest rank
  std::size_t total_memory_bytes = 0;  // of all ranks at their peak, shared memory counted once
};

}  // namespace lockstep::bench
