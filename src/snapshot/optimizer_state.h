#pragma once

// What optimizers remember of each parameter, by the parameter's name: "fc.weight/exp_avg". The parameters themselves
// are the model's, and learning rates and the like the configuration's.
//
// Those of lockstep::optim, whose state is put together from all ranks and spread over them again, and libtorch's SGD,
// Adam, AdamW, Adagrad and RMSprop and what derives from them. The names are the same: the state of one goes on in the
// other.

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <string>
#include <vector>

#include "snapshot/named_tensors.h"

namespace lockstep::snapshot {

// Throws Error{kUnsupported} for other optimizers, and when a parameter is not the model's.
void require_savable(const torch::optim::Optimizer& optimizer, const torch::nn::Module& model);

// Counts are tensors of one int64 of their own; the others are shared with the optimizer, or with those of other ranks,
// and the next step of any rank changes them. Parameters that have seen no step have no state. Collective. Throws as
// require_savable().
NamedTensors tensors_of(torch::optim::Optimizer& optimizer, const torch::nn::Module& model);

// What keeps `found` from being the state of this optimizer, a line each. Throws as require_savable().
std::vector<std::string> misfits(torch::optim::Optimizer& optimizer, const torch::nn::Module& model,
                                 const TensorsByName& found);

// Puts it in the place of what the optimizer had. Everything fits. Collective.
void restore(torch::optim::Optimizer& optimizer, const torch::nn::Module& model, const TensorsByName& found);

}  // namespace lockstep::snapshot
