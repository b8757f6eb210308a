#pragma once

// The arithmetic of batch norm over all ranks, with its gradient.

#include <torch/types.h>

#include <memory>

#include "ddp/synced_layers.h"

namespace lockstep {

struct BatchNormCall {
  torch::Tensor weight;  // this and the tensors below: undefined if there is none
  torch::Tensor bias;
  torch::Tensor running_mean;
  torch::Tensor running_var;
  double momentum = 0.1;
  double eps = 1e-5;
};

// Collective, and so are its derivatives of any order. A backward differentiates the sum of the ranks' losses, each
// multiplied by the weight of its rank, just as gradients are averaged; torch::autograd::grad() differentiates their
// plain sum. `input` is N x C x anything; ranks may have different N.
torch::Tensor sync_batch_norm(const torch::Tensor& input, const BatchNormCall& call,
                              const std::shared_ptr<BatchNormGroup>& group);

}  // namespace lockstep
