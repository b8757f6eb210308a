#pragma once

// Measures how a training step gets longer with more ranks and more parameters, and whether it does with more steps.
// At each point there is a contest of the ways of training; then one of them takes many steps.

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
  Method method = Method::kSharded;  // what is measured beside bare computation and no communication
  int batch = 1;                     // samples per rank and step
  std::filesystem::path step_worker;
  Pace pace;
  LeftOut left_out;  // what was asked for but is not part of the plan
  Point long_run;
  std::int64_t long_run_steps = 0;  // 0: no long run
};

// How the steps of the long run are divided: about 100 windows of the same length, and no longer than a worker takes
// in one go. The last one is cut off where it is not full.
std::vector<int> window_lengths(std::int64_t steps);

// Throws Error naming the way of training and the rank when a worker fails.
Observations run_campaign(const CampaignPlan& plan, Progress& progress);

}  // namespace lockstep::bench::scaling
