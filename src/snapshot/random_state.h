#pragma once

// The state of libtorch's random numbers in this process.

#include <torch/types.h>

namespace lockstep::snapshot {

// The state of the CPU's default generator, as bytes.
torch::Tensor random_state();

// Whether set_random_state() accepts it.
bool is_random_state(const torch::Tensor& state);

// Throws Error{kCorrupt} for anything that random_state() did not return.
void set_random_state(const torch::Tensor& state);

}  // namespace lockstep::snapshot
