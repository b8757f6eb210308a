#pragma once

// The state of an optimizer for each parameter, by the parameter's name: "fc.weight/exp_avg". The parameters themselves
// belong to the model, and learning rates and the like to the configuration.
//
// Supports lockstep::optim, whose state is gathered from all ranks and distributed again, and libtorch's SGD, Adam,
// AdamW, Adagrad and RMSprop and classes derived from them. The names are the same, so the state of one can be loaded
// into the other.

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <string>
#include <vector>

#include "snapshot/named_tensors.h"

namespace lockstep::snapshot {

// Throws Error{kUnsupported} for other optimizers, and if a parameter is not the model's.
void require_savable(const torch::optim::Optimizer& optimizer, const torch::nn::Module& model);

// Counts are separate tensors of one int64. The others are shared with the optimizer, or with those of other ranks, and
// the next step of any rank changes them. Parameters that have not taken a step have no state. Collective. Throws as
// require_savable() does.
NamedTensors tensors_of(torch::optim::Optimizer& optimizer, const torch::nn::Module& model);

// Why `found` is not a state of this optimizer, one line per problem. Throws as require_savable() does.
std::vector<std::string> misfits(torch::optim::Optimizer& optimizer, const torch::nn::Module& model,
                                 const TensorsByName& found);

// Replaces the optimizer's state. Requires that misfits() is empty. Collective.
void restore(torch::optim::Optimizer& optimizer, const torch::nn::Module& model, const TensorsByName& found);

}  // namespace lockstep::snapshot
