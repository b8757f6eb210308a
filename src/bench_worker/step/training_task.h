#pragma once

// A model and the single batch that a rank trains it with, repeatedly. pytorch_models.py creates the same from the same
// seeds: change both together.

#include <torch/types.h>

#include <memory>

#include "bench_worker/step/net.h"
#include "bench_worker/training_case.h"

namespace lockstep::bench {

struct TrainingTask {
  std::shared_ptr<Net> net;  // the same on every rank
  torch::Tensor input;       // of this rank
  torch::Tensor target;

  torch::Tensor loss(const torch::Tensor& output) const;
};

TrainingTask make_task(const TrainingCase& training, int rank);

}  // namespace lockstep::bench
