#pragma once

// What was measured at one point.

#include <cstdint>

#include "cli/bench/scaling/observations.h"
#include "cli/bench/training_summary.h"

namespace lockstep::bench::scaling {

// All times are medians. What a step takes beyond bare computation is averaging, the update and handing out the new
// parameters.
struct Result {
  Point point;
  double compute_ms = 0;      // forward and backward of ranks that do not communicate, without update
  double no_comm_ms = 0;      // with the update of torch::optim on every rank
  TrainingSummary step = {};  // of the method that is measured
  std::uint64_t working_set_bytes = 0;  // of that method, on the whole host

  double outside_ms() const { return step.median_ms - compute_ms; }
  double outside_share() const { return outside_ms() / step.median_ms; }
  // What communication alone costs against ranks that all make the whole update: less than nothing where sharing the
  // update saves more.
  double communication_share() const { return 1 - no_comm_ms / step.median_ms; }
};

}  // namespace lockstep::bench::scaling
