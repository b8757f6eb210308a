#pragma once

// The arithmetic of batch norm over all ranks, with its gradient.

#include <torch/types.h>

#include "lockstep/communicator.h"

namespace lockstep {

struct BatchNormCall {
  torch::Tensor weight;  // undefined when there is none; the same holds for those below
  torch::Tensor bias;
  torch::Tensor running_mean;
  torch::Tensor running_var;
  double momentum = 0.1;
  double eps = 1e-5;
};

// Collective, and so is its backward. `input` is N x C x anything; ranks may have different N.
torch::Tensor sync_batch_norm(const torch::Tensor& input, const BatchNormCall& call,
                              Communicator& communicator);

}  // namespace lockstep
