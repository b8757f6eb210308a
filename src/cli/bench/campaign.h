#pragma once

// Runs a benchmark: starts all workers first, then measures every implementation at every point in turn, round after
// round, so that disturbances of the machine affect all of them alike.

#include <chrono>
#include <cstddef>
#include <vector>

#include "cli/bench/contender.h"
#include "cli/bench/observations.h"
#include "cli/bench/progress.h"

namespace lockstep::bench {

struct CampaignPlan {
  std::vector<int> ranks;
  std::vector<std::size_t> sizes;  // bytes
  std::vector<Contender> contenders;
  Contender host_meter;  // lockstep, whose workers measure what the host can do, even if it is not compared
  int rounds = 1;
  std::chrono::nanoseconds time_per_point{};  // per implementation and point, over all rounds
  std::chrono::nanoseconds patience{};        // for each answer of a worker
};

// How many iterations each round measures at a point where one takes `iteration`: as many as the time permits, but over
// all rounds at least 15, and 30 for buffers below 32 MiB.
int iterations_per_round(const CampaignPlan& plan, std::size_t bytes, std::chrono::nanoseconds iteration);

// Throws Error with the implementation and the rank when a worker fails.
Observations run_campaign(const CampaignPlan& plan, Progress& progress);

}  // namespace lockstep::bench
