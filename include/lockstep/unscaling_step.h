#pragma once

// What an optimizer offers that divides by the scale of the loss inside its own step. GradScaler::step() asks for it,
// and then does not touch the gradients itself.

#include <torch/types.h>

namespace lockstep {

class UnscalingStep {
 public:
  virtual ~UnscalingStep() = default;

  // Takes a step with gradients multiplied by `inverse_scale`, a single float32, unless one of them is not finite on
  // any rank. Returns whether it did; the same on all ranks. Collective.
  virtual bool step_unscaled(const torch::Tensor& inverse_scale) = 0;
  // Whether the last step was taken, unscaled or not; the same on all ranks.
  virtual bool took_step() const = 0;
};

}  // namespace lockstep
