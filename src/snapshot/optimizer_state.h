#pragma once

// What libtorch's optimizers remember of each parameter, by the parameter's name: "fc.weight/exp_avg". The parameters
// themselves are the model's, and learning rates and the like the configuration's.
//
// SGD, Adam, AdamW, Adagrad and RMSprop, and what derives from them.

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <string>
#include <vector>

#include "snapshot/named_tensors.h"

namespace lockstep::snapshot {

// Counts are tensors of one int64 of their own; the others are shared with the optimizer. Parameters that have seen no
// step have no state. Throws Error{kUnsupported} for other optimizers, and when a parameter is not the model's.
NamedTensors tensors_of(torch::optim::Optimizer& optimizer, const torch::nn::Module& model);

// What keeps `found` from being the state of this optimizer, a line each. Throws as tensors_of().
std::vector<std::string> misfits(torch::optim::Optimizer& optimizer, const torch::nn::Module& model,
                                 const TensorsByName& found);

// Puts it in the place of what the optimizer had. Everything fits.
void restore(torch::optim::Optimizer& optimizer, const torch::nn::Module& model, const TensorsByName& found);

}  // namespace lockstep::snapshot
