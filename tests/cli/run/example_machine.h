#pragma once

// Machines for plans, without hwloc.

#include <vector>

#include "topology/topology.h"

namespace lockstep::run {

// One hardware thread per core, all of one cache.
inline Topology plain_cores(const std::vector<int>& numbers) {
  Topology topology;
  for (const int number : numbers) {
    topology.cores.push_back({.threads = {number}});
  }
  return topology;
}

// As Linux numbers them: `caches` caches of `cores` cores each, with two hardware threads; two caches per NUMA node.
inline Topology hyperthreaded(int caches, int cores) {
  Topology topology;
  for (int i = 0; i < caches * cores; ++i) {
    const int cache = i / cores;
    topology.cores.push_back(
        {.threads = {i, i + caches * cores}, .cache = cache, .node = cache / 2, .package = cache / 2});
  }
  return topology;
}

}  // namespace lockstep::run
