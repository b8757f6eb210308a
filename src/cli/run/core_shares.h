#pragma once

// Which cores each rank of this host is bound to.

#include <optional>
#include <vector>

#include "cli/run/options.h"
#include "topology/topology.h"

namespace lockstep::run {

struct CoreShares {
  int threads = 1;                        // of each rank
  std::vector<std::vector<int>> of_rank;  // hardware threads; empty when there are too few for all ranks
};

// How many ranks there is room for when each takes `threads`.
int count_places(const Topology& topology, Binding bind, int threads);

// Pure. A rank gets neighbouring cores, and cores of one cache where there are enough; without `threads` an equal share,
// at least one. More ranks than cores get a hardware thread each, while there are enough of those.
CoreShares share_cores(const Topology& topology, Binding bind, int ranks, std::optional<int> threads);

}  // namespace lockstep::run
