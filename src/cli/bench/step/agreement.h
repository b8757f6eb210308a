#pragma once

// Whether all variants really train the same model: those that share their gradients must arrive at the same loss,
// and so must those that train for themselves.

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
