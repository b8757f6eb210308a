#pragma once

// The state of any optimizer under the names of its parameters, so that one optimizer can resume from another:
// libtorch's SGD, Adam, AdamW and Adagrad from their lockstep::optim counterparts, and vice versa.
//
//   lockstep::optim::ShardedAdamW sharded(model, options);
//   lockstep::optim::load_state(sharded, *net, lockstep::optim::state_of(plain, *net));

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include "lockstep/sharded_optimizer.h"

namespace lockstep::optim {

// A copy of the optimizer's state for each parameter of `model`, named as in State. Collective for a Sharded. Throws
// Error{kUnsupported} for optimizers other than the above and RMSprop, and when a parameter does not belong to the
// model.
State state_of(torch::optim::Optimizer& optimizer, const torch::nn::Module& model);

// Replaces the optimizer's state with a copy of `state`. Collective for a Sharded. Throws Error{kInvalidArgument} with
// every mismatch, and then nothing has changed; also throws what state_of() and Sharded::load_state() throw.
void load_state(torch::optim::Optimizer& optimizer, const torch::nn::Module& model, const State& state);

}  // namespace lockstep::optim
