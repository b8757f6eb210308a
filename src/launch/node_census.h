#pragma once

// Determines which host each rank is on, for starters that do not say: the ranks exchange the names of their hosts.

#include <chrono>
#include <span>
#include <string>

#include "base/host_name.h"
#include "lockstep/communicator.h"

namespace lockstep {

struct NodePlace {
  int rank = 0;
  int count = 1;

  bool operator==(const NodePlace&) const = default;
};

// Hosts are numbered in the order of their lowest rank.
NodePlace find_node(std::span<const std::string> host_of_rank, int rank);

// Collective. Names are compared up to the length that Linux allows.
NodePlace take_node_census(Communicator& communicator, const std::string& host_name,
                           std::chrono::nanoseconds timeout);

}  // namespace lockstep
