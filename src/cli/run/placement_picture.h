#pragma once

// A small picture of which rank runs on which core.

#include <string>

#include "cli/run/plan.h"
#include "topology/topology.h"

namespace lockstep::run {

// A row for each last-level cache, a cell for each core: its hardware threads, and the ranks that are bound to them.
//
//   package 0, node 0:  [0,8 rank 0] [1,9 rank 1]
//   package 0, node 0:  [2,10 rank 2] [3,11 -]
std::string placement_picture(const Topology& topology, const std::vector<WorkerPlan>& workers);

}  // namespace lockstep::run
