#pragma once

// What has to be known of all gradients before the first parameter changes, when each rank has only its pieces of them:
// whether one is not finite, and how long they are together.

#include <torch/types.h>

#include <vector>

#include "lockstep/communicator.h"

namespace lockstep {

struct GradientTotals {
  bool overflowed = false;  // one of them, on any rank; looked at only when they are unscaled
  double norm = 0;
};

// Collective: one all-reduce of two numbers. `pieces` are this rank's, bucket by bucket; they are multiplied by
// `inverse_scale` first, where it is defined. Ranks add up their pieces in order, so the norm has the same bits on all.
GradientTotals total_gradients(const std::vector<std::vector<torch::Tensor>>& pieces,
                               const torch::Tensor& inverse_scale, Communicator& communicator);

}  // namespace lockstep
