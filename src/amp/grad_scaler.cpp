#include "lockstep/grad_scaler.h"

#include <torch/optim/optimizer.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <array>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/unscaling_step.h"

namespace lockstep {
namespace {

Error misuse(const std::string& reason) {
  return {ErrorCode::kInvalidArgument, reason};
}

void require_possible(const GradScalerOptions& options) {
  const bool shrinks = options.backoff_factor > 0 && options.backoff_factor < 1;
  if (options.initial_scale > 0 && options.growth_factor > 1 && shrinks && options.growth_interval >= 1) {
    return;
  }
  std::ostringstream text;
  text << "a scale of " << options.initial_scale << " that is multiplied by " << options.growth_factor
       << " every " << options.growth_interval << " steps and by " << options.backoff_factor
       << " after an overflow cannot work: it has to be positive, to grow by more than 1 and to shrink by "
          "less than 1";
  throw misuse(text.str());
}

// The kernel takes gradients of one type and device at a time.
using GradientGroups = std::map<std::pair<torch::Dtype, torch::DeviceType>, std::vector<torch::Tensor>>;

GradientGroups group_gradients(torch::optim::Optimizer& optimizer) {
  GradientGroups groups;
  for (auto& group : optimizer.param_groups()) {
    for (torch::Tensor& parameter : group.params()) {
      const torch::Tensor gradient = parameter.grad();
      if (!gradient.defined()) {
        continue;
      }
      if (gradient.dtype() == torch::kFloat16) {
        throw misuse(
            "a gradient is float16: keep the parameters in float32 and let Autocast choose where to compute "
            "in "
            "float16");
      }
      const torch::Tensor values = gradient.is_sparse() ? gradient._values() : gradient;
      groups[{values.scalar_type(), values.device().type()}].push_back(values);
    }
  }
  return groups;
}

// Returns whether the step was taken: some optimizers check their gradients themselves.
bool take_step(torch::optim::Optimizer& optimizer) {
  optimizer.step();
  const auto* unscaling = dynamic_cast<const UnscalingStep*>(&optimizer);
  return unscaling == nullptr || unscaling->took_step();
}

}  // namespace

void GradScalerOptions::describe(config::Description& d) {
  constexpr double kMost = std::numeric_limits<float>::max();
  d.option("initial-scale", initial_scale, "initial factor of the loss").range(1e-30, kMost);
  d.option("growth-factor", growth_factor, "growth of that factor").range(1.0, kMost);
  d.option("backoff-factor", backoff_factor, "factor applied to it after an overflow").range(0.0, 1.0);
  d.option("growth-interval", growth_interval, "steps without overflow before it grows")
      .unit("steps")
      .range(1, std::numeric_limits<std::int32_t>::max());
  d.option("enabled", enabled, "scale the loss");
}

GradScaler::GradScaler(Communicator& communicator, GradScalerOptions options)
    : communicator_(communicator), options_(options) {
  require_possible(options_);
  restore({.scale = options_.initial_scale, .good_steps = 0});
}

torch::Tensor GradScaler::scale(const torch::Tensor& loss) const {
  return options_.enabled ? loss * scale_.to(loss.device()) : loss;
}

// In double precision: compilers may divide floats less exactly.
torch::Tensor GradScaler::inverse_scale() const {
  return scale_.to(torch::kFloat64).reciprocal().to(torch::kFloat32);
}

// Returns whether a gradient of this rank is not finite.
bool GradScaler::unscale_gradients(torch::optim::Optimizer& optimizer) const {
  const torch::NoGradGuard no_grad;
  const torch::Tensor inverse = inverse_scale();
  bool overflowed = false;
  for (auto& [kind, gradients] : group_gradients(optimizer)) {
    torch::Tensor found = torch::zeros({}, torch::TensorOptions(torch::kFloat32).device(kind.second));
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, found, inverse.to(kind.second));
    overflowed = overflowed || found.item<float>() != 0;
  }
  return overflowed;
}

void GradScaler::unscale_(torch::optim::Optimizer& optimizer) {
  if (!options_.enabled) {
    return;
  }
  if (progress_.count(&optimizer) != 0) {
    throw misuse(
        "the gradients of this optimizer were unscaled before; call update() at the end of each step");
  }
  std::array<float, 1> overflowed = {unscale_gradients(optimizer) ? 1.0F : 0.0F};
  communicator_.all_reduce(overflowed, ReduceOp::kMax, {.label = "overflow"});
  progress_[&optimizer] = {.stepped = false, .overflowed = overflowed[0] != 0};
}

bool GradScaler::step(torch::optim::Optimizer& optimizer) {
  if (!options_.enabled) {
    return take_step(optimizer);
  }
  if (progress_.count(&optimizer) == 0) {
    if (auto* unscaling = dynamic_cast<UnscalingStep*>(&optimizer)) {
      const bool taken = unscaling->step_unscaled(inverse_scale());
      progress_[&optimizer] = {.stepped = true, .overflowed = !taken};
      return taken;
    }
    unscale_(optimizer);
  }
  Progress& progress = progress_.at(&optimizer);
  if (progress.stepped) {
    throw misuse("this optimizer took its step before; call update() at the end of each step");
  }
  progress.stepped = true;
  return !progress.overflowed && take_step(optimizer);
}

void GradScaler::skip(torch::optim::Optimizer& optimizer) {
  if (options_.enabled) {
    progress_[&optimizer] = {.stepped = true, .overflowed = true};
  }
}

void GradScaler::update() {
  if (!options_.enabled) {
    return;
  }
  if (progress_.empty()) {
    throw misuse(
        "there is nothing to adapt the scale to: no optimizer was unscaled or stepped since the last "
        "update()");
  }
  bool overflowed = false;
  for (const auto& [optimizer, progress] : progress_) {
    overflowed = overflowed || progress.overflowed;
  }
  at::_amp_update_scale_(scale_, good_steps_, torch::full({}, overflowed ? 1.0F : 0.0F),
                         options_.growth_factor, options_.backoff_factor, options_.growth_interval);
  progress_.clear();
}

double GradScaler::current_scale() const {
  return options_.enabled ? scale_.item<float>() : 1;
}

GradScalerState GradScaler::state() const {
  return {.scale = scale_.item<float>(), .good_steps = good_steps_.item<std::int32_t>()};
}

void GradScaler::restore(const GradScalerState& state) {
  scale_ = torch::full({}, state.scale, torch::kFloat32);
  good_steps_ = torch::full({}, state.good_steps, torch::kInt32);
  progress_.clear();
}

}  // namespace lockstep
