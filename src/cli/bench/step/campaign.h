#pragma once

// Measures training steps: for each case a contest of all variants.

#include <vector>

#include "cli/bench/contest.h"
#include "cli/bench/left_out.h"
#include "cli/bench/progress.h"
#include "cli/bench/step/observations.h"

namespace lockstep::bench::step {

struct CampaignPlan {
  std::vector<TrainingCase> cases;
  std::vector<Variant> variants;
  Programs programs;
  Pace pace;
  LeftOut left_out;  // what was asked for but is not part of the plan
};

// Throws Error naming the variant and the rank when a worker fails.
Observations run_campaign(const CampaignPlan& plan, Progress& progress);

}  // namespace lockstep::bench::step
