#pragma once

// The state of any optimizer under the names of its parameters, so that one can go on where another was: libtorch's SGD,
// Adam, AdamW and Adagrad as those of lockstep::optim, and back.
//
//   lockstep::optim::ShardedAdamW sharded(model, options);
//   lockstep::optim::load_state(sharded, *net, lockstep::optim::state_of(plain, *net));

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include "lockstep/sharded_optimizer.h"

namespace lockstep::optim {

// A copy of what the optimizer remembers of each parameter of `model`, named as State has it. Collective for a Sharded.
// Throws Error{kUnsupported} for other optimizers than the above and RMSprop, and when a parameter is not the model's.
State state_of(torch::optim::Optimizer& optimizer, const torch::nn::Module& model);

// Puts a copy of it in the place of what the optimizer remembers. Collective for a Sharded. Throws
// Error{kInvalidArgument} with everything that does not fit, and then nothing has changed; otherwise as state_of() and
// Sharded::load_state().
void load_state(torch::optim::Optimizer& optimizer, const torch::nn::Module& model, const State& state);

}  // namespace lockstep::optim
