#pragma once

// The interface of an optimizer that divides by the loss scale inside its own step. GradScaler::step() uses it and then
// leaves the gradients alone.

#include <torch/types.h>

namespace lockstep {

class UnscalingStep {
 public:
  virtual ~UnscalingStep() = default;

  // Takes a step with gradients multiplied by `inverse_scale`, a single float32, unless a gradient is not finite on any
  // rank. Returns whether the step was taken; the same on all ranks. Collective.
  virtual bool step_unscaled(const torch::Tensor& inverse_scale) = 0;
  // Whether the last step was taken, unscaled or not; the same on all ranks.
  virtual bool took_step() const = 0;
};

}  // namespace lockstep
