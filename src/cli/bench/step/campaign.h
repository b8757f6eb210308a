#pragma once

// Measures training steps: for each case all workers of all variants are started, then the variants take turns, round
// after round, in an order that shifts by one each time. Whoever does not run sleeps.

#include <chrono>
#include <vector>

#include "cli/bench/progress.h"
#include "cli/bench/step/observations.h"

namespace lockstep::bench::step {

struct CampaignPlan {
  std::vector<TrainingCase> cases;
  std::vector<Variant> variants;
  Programs programs;
  int rounds = 1;
  std::chrono::nanoseconds time_per_round{};  // of each variant
  std::chrono::nanoseconds patience{};        // for any one answer of a worker
};

// Throws Error naming the variant and the rank when a worker fails.
Observations run_campaign(const CampaignPlan& plan, Progress& progress);

}  // namespace lockstep::bench::step
