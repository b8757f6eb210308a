#pragma once

// How many ranks run on this host, which ranks of the job they are, and where all ranks meet.

#include <optional>
#include <string>
#include <vector>

#include "cli/run/options.h"

namespace lockstep::run {

struct HostFacts;

struct Placement {
  int ranks = 1;                    // on this host
  std::optional<int> threads = {};  // per rank; unset: an equal share of the cores
  int first_rank = 0;
  int world_size = 1;
  int node_rank = 0;
  int node_count = 1;
  std::string master_address = {};
  int master_port = 0;
};

// Adds impossible options to `problems`.
Placement place_ranks(const Options& options, const HostFacts& host, std::vector<std::string>& problems);

}  // namespace lockstep::run
