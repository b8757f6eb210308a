#pragma once

// Keeps the small gradients of float16 from vanishing: the loss is multiplied by a large number before backward, the
// gradients divided by it afterwards, and the number follows what the gradients can bear.
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
// The rules and numbers are those of PyTorch's scaler. Whether a gradient overflowed is agreed over all ranks, so that
// all take a step or none does, also where gradients are not averaged; unscale_() is therefore collective.

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
  double growth_factor = 2;             // after `growth_interval` steps without an overflow
  double backoff_factor = 0.5;          // after an overflow
  std::int32_t growth_interval = 2000;  // steps
  bool enabled = true;                  // when not, everything passes through untouched

  void describe(config::Description& d);
};

// What a checkpoint keeps.
struct GradScalerState {
  double scale = 0;
  std::int32_t good_steps = 0;  // since the last change

  bool operator==(const GradScalerState&) const = default;
};

class GradScaler {
 public:
  // `communicator` must outlive it. Throws Error{kInvalidArgument} for factors that cannot work.
  explicit GradScaler(Communicator& communicator, GradScalerOptions options = {});

  torch::Tensor scale(const torch::Tensor& loss) const;

  // Divides the gradients of the optimizer's parameters, once in a step. Throws Error{kInvalidArgument} the second
  // time, and for float16 gradients: the parameters are to stay float32.
  void unscale_(torch::optim::Optimizer& optimizer);

  // Unscales if that has not happened, and takes the optimizer's step unless a gradient overflowed on any rank; one
  // that is an UnscalingStep does both itself. Returns whether it did. Throws Error{kInvalidArgument} when it was called
  // since the last update().
  bool step(torch::optim::Optimizer& optimizer);

  // Counts a step that nobody takes, since its loss was not finite, as one that overflowed.
  void skip(torch::optim::Optimizer& optimizer);

  // Ends the step of all optimizers: adapts the scale. Throws Error{kInvalidArgument} when none was unscaled.
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
  std::map<const torch::optim::Optimizer*, Progress> progress_;  // of those unscaled since the last update
};

}  // namespace lockstep
