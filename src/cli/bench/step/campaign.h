#pragma once

// Measures training steps: one contest of all variants for each case.

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
  LeftOut left_out;  // requested but not part of the plan
};

// Throws Error with the variant and the rank when a worker fails.
Observations run_campaign(const CampaignPlan& plan, Progress& progress);

}  // namespace lockstep::bench::step
