#pragma once

// The updates of the optimizers in libtorch's ordinary operations, one piece after the other. Every device has these.
// They are the operations of torch::optim in the same order, so the results have the same bits. They make several
// passes over memory where a fused kernel makes one.

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
