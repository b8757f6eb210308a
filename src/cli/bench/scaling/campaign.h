#pragma once

// Measures how a training step grows with more ranks and more parameters, and whether it does with more steps. At each
// point the methods of training compete; then one of them takes many steps.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "cli/bench/contest.h"
#include "cli/bench/left_out.h"
#include "cli/bench/progress.h"
#include "cli/bench/scaling/observations.h"

namespace lockstep::bench::scaling {

struct CampaignPlan {
  std::vector<Point> points;
  Method method = Method::kSharded;  // measured besides bare computation and no communication
  int batch = 1;                     // samples per rank and step
  std::filesystem::path step_worker;
  Pace pace;
  LeftOut left_out;  // requested but not part of the plan
  Point long_run;
  std::int64_t long_run_steps = 0;  // 0: no long run
};

// How the steps of the long run are divided: about 100 windows of equal length, none longer than a worker takes at
// once. The last one may be shorter.
std::vector<int> window_lengths(std::int64_t steps);

// Throws Error with the method and the rank when a worker fails.
Observations run_campaign(const CampaignPlan& plan, Progress& progress);

}  // namespace lockstep::bench::scaling
