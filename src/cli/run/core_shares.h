#pragma once

// Which cores each rank of this host keeps to.

#include <optional>
#include <vector>

namespace lockstep::run {

// The cores this process may run on, in order.
std::vector<int> available_cores();

struct CoreShares {
  int threads = 1;                        // of each rank
  std::vector<std::vector<int>> of_rank;  // empty when there are fewer cores than that takes
};

// Pure. Neighbouring cores go to the same rank; without `threads` each gets an equal share, at least one.
CoreShares share_cores(const std::vector<int>& cores, int ranks, std::optional<int> threads);

}  // namespace lockstep::run
