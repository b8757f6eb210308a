#include "cli/run/core_shares.h"

#include <algorithm>
#include <map>

namespace lockstep::run {
namespace {

// What is dealt out: a core with all of its hardware threads, or one of these.
struct Unit {
  std::vector<int> threads;
  int cache = 0;
};

std::vector<Unit> units_of(const Topology& topology, Binding bind) {
  std::vector<Unit> units;
  for (const Core& core : topology.cores) {
    if (bind != Binding::kThread) {
      units.push_back({core.threads, core.cache});
      continue;
    }
    for (const int thread : core.threads) {
      units.push_back({{thread}, core.cache});
    }
  }
  return units;
}

std::vector<int> threads_of(const std::vector<Unit>& units, std::size_t first, std::size_t count) {
  std::vector<int> threads;
  for (std::size_t i = first; i < first + count; ++i) {
    threads.insert(threads.end(), units[i].threads.begin(), units[i].threads.end());
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

// `count` neighbouring units for each rank; with `whole` all of a rank's units have one cache, and those that are left over
// at the end of a cache stay free. Empty when there are too few.
std::vector<std::vector<int>> deal(const std::vector<Unit>& units, std::size_t ranks, std::size_t count,
                                   bool whole) {
  std::vector<std::vector<int>> shares;
  for (std::size_t first = 0; first + count <= units.size() && shares.size() < ranks;) {
    if (whole && units[first].cache != units[first + count - 1].cache) {
      ++first;
      continue;
    }
    shares.push_back(threads_of(units, first, count));
    first += count;
  }
  return shares.size() == ranks ? shares : std::vector<std::vector<int>>();
}

// Ranks spread evenly over the NUMA nodes, each bound to all cores of its node.
CoreShares share_nodes(const Topology& topology, int ranks, std::optional<int> threads) {
  std::map<int, std::vector<int>> nodes;
  for (const Core& core : topology.cores) {
    auto& node = nodes[core.node];
    node.insert(node.end(), core.threads.begin(), core.threads.end());
  }
  std::vector<std::vector<int>> by_order;
  for (auto& [number, node] : nodes) {
    std::sort(node.begin(), node.end());
    by_order.push_back(std::move(node));
  }
  const int cores = static_cast<int>(topology.cores.size());
  CoreShares shares{.threads = threads.value_or(std::max(1, cores / ranks)), .of_rank = {}};
  for (int rank = 0; rank < ranks; ++rank) {
    const auto node = static_cast<std::size_t>(rank) * by_order.size() / static_cast<std::size_t>(ranks);
    shares.of_rank.push_back(by_order[node]);
  }
  return shares;
}

}  // namespace

int count_places(const Topology& topology, Binding bind, int threads) {
  return std::max(1, static_cast<int>(units_of(topology, bind).size()) / threads);
}

CoreShares share_cores(const Topology& topology, Binding bind, int ranks, std::optional<int> threads) {
  if (bind == Binding::kNuma) {
    return share_nodes(topology, ranks, threads);
  }
  const auto units = units_of(topology, bind);
  CoreShares shares{.threads = threads.value_or(std::max(1, static_cast<int>(units.size()) / ranks)),
                    .of_rank = {}};
  if (static_cast<std::size_t>(ranks) * static_cast<std::size_t>(shares.threads) > units.size()) {
    const bool is_last_resort = bind == Binding::kThread;
    return is_last_resort ? shares : share_cores(topology, Binding::kThread, ranks, shares.threads);
  }
  const auto count = static_cast<std::size_t>(shares.threads);
  shares.of_rank = deal(units, static_cast<std::size_t>(ranks), count, /*whole=*/true);
  if (shares.of_rank.empty()) {
    shares.of_rank = deal(units, static_cast<std::size_t>(ranks), count, /*whole=*/false);
  }
  return shares;
}

}  // namespace lockstep::run
