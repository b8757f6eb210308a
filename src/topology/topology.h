#pragma once

// The processor cores of a machine, and which of them share caches and memory.

#include <filesystem>
#include <vector>

namespace lockstep {

// One physical core.
struct Core {
  std::vector<int> threads;  // its usable hardware threads, as Linux numbers them
  int cache = 0;             // its last-level cache, numbered from 0
  int node = 0;              // its NUMA node, as Linux numbers them
  int package = 0;           // its socket, numbered from 0
};

struct Topology {
  std::vector<Core> cores;  // in an order in which neighbours share caches

  std::vector<int> threads() const;  // of all cores, ascending
};

// The cores that this process may use: its affinity mask and its control group's cpuset are respected. Throws
// Error{kSystem}.
Topology read_topology();

// The machine that a file of hwloc (lstopo machine.xml) describes, as if only the hardware threads in `usable` might be
// used; all of them when it is empty. Throws Error{kSystem}.
Topology read_topology(const std::filesystem::path& xml, const std::vector<int>& usable = {});

}  // namespace lockstep
