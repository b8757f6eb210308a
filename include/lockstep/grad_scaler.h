#pragma once

// Loss scaling for float16, which keeps small gradients from underflowing. The loss is multiplied by a large scale
// before backward, the gradients are divided by it afterwards, and the scale adapts to the gradients.
//
//   lockstep::GradScaler scaler(world.communicator());
//   for (...) {
//     optimizer.zero_grad();
//     scaler.scale(loss).backward();
//     scaler.unscale_(optimizer);                // only to look at gradients or clip them
//     model.clip_grad_norm_(1.0);
//     scaler.step(optimizer);                   // not taken when a gradient is infinite or not a number
//     scaler.update();
//   }
//
// The rules and defaults are those of PyTorch's scaler. All ranks agree on whether a gradient overflowed, so all take a
// step or none does, even where gradients are not averaged; unscale_() is therefore collective.

#include <torch/types.h>

#include <cstdint>
#include <map>

#include "lockstep/communicator.h"
#include "lockstep/config_description.h"

namespace torch::optim {
class Optimizer;
}

namespace lockstep {

struct GradScalerOptions {
  double initial_scale = 65536;
  double growth_factor = 2;             // after `growth_interval` steps without overflow
  double backoff_factor = 0.5;          // after an overflow
  std::int32_t growth_interval = 2000;  // steps
  bool enabled = true;                  // false: everything passes through unchanged

  void describe(config::Description& d);
};

// Saved in checkpoints.
struct GradScalerState {
  double scale = 0;
  std::int32_t good_steps = 0;  // since the last change

  bool operator==(const GradScalerState&) const = default;
};

class GradScaler {
 public:
  // `communicator` must outlive it. Throws Error{kInvalidArgument} for invalid factors.
  explicit GradScaler(Communicator& communicator, GradScalerOptions options = {});

  torch::Tensor scale(const torch::Tensor& loss) const;

  // Divides the gradients of the optimizer's parameters by the scale, once per step. Throws Error{kInvalidArgument} the
  // second time, and for float16 gradients: parameters must stay float32.
  void unscale_(torch::optim::Optimizer& optimizer);

  // Unscales unless unscale_() has, and takes the optimizer's step unless a gradient overflowed on any rank. An
  // optimizer that is an UnscalingStep does both itself. Returns whether the step was taken. Throws
  // Error{kInvalidArgument} when called twice without an update() in between.
  bool step(torch::optim::Optimizer& optimizer);

  // Counts as an overflow a step that no rank takes because its loss was not finite.
  void skip(torch::optim::Optimizer& optimizer);

  // Finishes the step of all optimizers: adapts the scale. Throws Error{kInvalidArgument} when none was unscaled.
  void update();

  double current_scale() const;
  GradScalerState state() const;
  void restore(const GradScalerState& state);

 private:
  struct Progress {
    bool stepped = false;
    bool overflowed = false;
  };

  torch::Tensor inverse_scale() const;
  bool unscale_gradients(torch::optim::Optimizer& optimizer) const;

  Communicator& communicator_;
  GradScalerOptions options_;
  torch::Tensor scale_;
  torch::Tensor good_steps_;
  std::map<const torch::optim::Optimizer*, Progress> progress_;  // optimizers unscaled since the last update
};

}  // namespace lockstep
