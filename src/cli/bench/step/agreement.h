#pragma once

// Whether all variants really train the same model: those that share their gradients must arrive at the same loss,
// so must those that train for themselves, and one process on the whole batch must arrive at the mean of the ranks that
// share. With batch norm that last does not hold: the statistics of a whole batch are not those of its parts.

#include <vector>

#include "bench_worker/training_case.h"
#include "cli/bench/step/variant.h"

namespace lockstep::bench::step {

struct WarmUpLosses {
  Variant variant = Variant::kNoComm;
  std::vector<double> by_rank;  // after the same number of steps everywhere
};

// Throws Error{kMismatch} that names the two that differ.
void require_agreement(const TrainingCase& training, const std::vector<WarmUpLosses>& losses);

}  // namespace lockstep::bench::step
