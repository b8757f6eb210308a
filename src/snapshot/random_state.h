#pragma once

// Where libtorch's random numbers of this process have come to.

#include <torch/types.h>

namespace lockstep::snapshot {

// Of the CPU's default generator, as bytes.
torch::Tensor random_state();

// Whether set_random_state() will take it.
bool is_random_state(const torch::Tensor& state);

// Throws Error{kCorrupt} for what random_state() did not give.
void set_random_state(const torch::Tensor& state);

}  // namespace lockstep::snapshot
