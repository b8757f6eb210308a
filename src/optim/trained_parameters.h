#pragma once

// Selects the parameters of a model that an optimizer updates.

#include <torch/types.h>

#include <vector>

namespace lockstep {

// The parameters that require a gradient, each once, since tied ones have several names. Throws Error{kInvalidArgument}
// if there is none.
std::vector<torch::Tensor> trained_parameters(const std::vector<torch::Tensor>& all);

}  // namespace lockstep
