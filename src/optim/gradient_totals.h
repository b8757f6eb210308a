#pragma once

// What must be known about all gradients before the first parameter changes, although each rank has only its pieces:
// whether one is not finite, and their total norm.

#include <torch/types.h>

#include <vector>

#include "lockstep/communicator.h"

namespace lockstep {

struct GradientTotals {
  bool overflowed = false;  // a gradient on any rank is not finite; checked only when they are unscaled
  double norm = 0;
};

// Collective: one all-reduce of two numbers. `pieces` are this rank's, bucket by bucket; they are first multiplied by
// `inverse_scale` if it is defined. Pieces are added up in rank order, so the norm has the same bits on all ranks.
GradientTotals total_gradients(const std::vector<std::vector<torch::Tensor>>& pieces,
                               const torch::Tensor& inverse_scale, Communicator& communicator);

}  // namespace lockstep
