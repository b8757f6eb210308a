#pragma once

// Which of a model's parameters an optimizer is for.

#include <torch/types.h>

#include <vector>

namespace lockstep {

// Those that want a gradient, each once, as tied ones have several names. Throws Error{kInvalidArgument} when there is
// none.
std::vector<torch::Tensor> trained_parameters(const std::vector<torch::Tensor>& all);

}  // namespace lockstep
