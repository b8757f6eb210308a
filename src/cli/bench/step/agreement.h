#pragma once

// Checks that all variants train the same model: variants that average gradients must arrive at the same loss, so must
// those that train alone, and one process on the whole batch must arrive at the mean over the ranks that average. The
// last does not hold with batch norm: the statistics of a whole batch are not those of its parts.

#include <vector>

#include "bench_worker/training_case.h"
#include "cli/bench/step/variant.h"

namespace lockstep::bench::step {

struct WarmUpLosses {
  Variant variant = Variant::kNoComm;
  std::vector<double> by_rank;  // after the same number of steps everywhere
};

// Throws Error{kMismatch} with the two that differ.
void require_agreement(const TrainingCase& training, const std::vector<WarmUpLosses>& losses);

}  // namespace lockstep::bench::step
