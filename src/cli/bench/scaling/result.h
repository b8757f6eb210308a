#pragma once

// The result at one point.

#include <cstdint>

#include "cli/bench/scaling/observations.h"
#include "cli/bench/training_summary.h"

namespace lockstep::bench::scaling {

// All times are medians. Beyond bare computation, a step consists of averaging, the update and distributing the new
// parameters.
struct Result {
  Point point;
  double compute_ms = 0;      // forward and backward of ranks that do not communicate, without update
  double no_comm_ms = 0;      // with the update of torch::optim on every rank
  TrainingSummary step = {};  // of the measured method
  std::uint64_t working_set_bytes = 0;  // of that method, on the whole host

  double outside_ms() const { return step.median_ms - compute_ms; }
  double outside_share() const { return outside_ms() / step.median_ms; }
  // The cost of communication alone, compared with ranks that each do the whole update: negative where sharing the
  // update saves more.
  double communication_share() const { return 1 - no_comm_ms / step.median_ms; }
};

}  // namespace lockstep::bench::scaling
