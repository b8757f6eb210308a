#pragma once

// Clips the total norm of all gradients.

#include <torch/types.h>

#include <vector>

namespace lockstep {

// Scales the gradients in place so that their norm is at most `max_norm`; returns the norm before that. Reads every
// gradient once, and writes only when the norm is too large. The result does not depend on how gradients are bucketed.
double clip_gradients(const std::vector<torch::Tensor>& parameters, double max_norm, double norm_type,
                      bool error_if_nonfinite);

}  // namespace lockstep
