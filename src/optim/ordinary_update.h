#pragma once

// The updates of the optimizers in libtorch's ordinary operations, one piece after the other: what every device has, and
// the same operations in the same order as torch::optim, so that the bits are those of torch::optim. They pass over the
// memory several times where a fused kernel passes once.

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include "optim/update_rule.h"

namespace lockstep {

void update_ordinarily(const torch::optim::SGDOptions& options, UpdateBatch& batch);
void update_ordinarily(const torch::optim::AdamOptions& options, UpdateBatch& batch);
void update_ordinarily(const torch::optim::AdamWOptions& options, UpdateBatch& batch);
void update_ordinarily(const torch::optim::AdagradOptions& options, UpdateBatch& batch);

}  // namespace lockstep
