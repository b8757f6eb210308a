#include "lockstep/lr_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "lockstep/error.h"

namespace lockstep {
namespace {

// The fraction of the way from the end of the warm-up to the end of the run, 0 to 1.
double share_done(std::int64_t step, std::int64_t begin, std::int64_t end) {
  if (step >= end) {
    return 1;
  }
  return step <= begin ? 0 : static_cast<double>(step - begin) / static_cast<double>(end - begin);
}

double after_milestones(const LrOptions& options, std::int64_t step) {
  const auto passed = std::upper_bound(options.milestones.begin(), options.milestones.end(), step) -
                      options.milestones.begin();
  return options.peak * std::pow(options.gamma, static_cast<double>(passed));
}

}  // namespace

void LrOptions::describe(config::Description& d) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  d.option("peak", peak, "learning rate after the warm-up").range(0.0, 1e6);
  d.option("shape", shape, "how the learning rate changes after the warm-up")
      .choices({{"constant", LrShape::kConstant},
                {"linear", LrShape::kLinear},
                {"cosine", LrShape::kCosine},
                {"polynomial", LrShape::kPolynomial},
                {"step", LrShape::kStep},
                {"wsd", LrShape::kWarmupStableDecay}});
  d.option("warmup-steps", warmup_steps, "steps over which the rate grows to its peak")
      .unit("steps")
      .range(0, kMost);
  d.option("final-ratio", final_ratio, "final rate, relative to the peak").range(0.0, 1.0);
  d.option("power", power, "exponent of shape=polynomial").range(0.0, 100.0);
  d.option("milestones", milestones, "steps at which shape=step lowers the rate").unit("steps");
  d.option("gamma", gamma, "factor that shape=step applies").range(0.0, 1.0);
  d.option("decay-steps", decay_steps, "final steps over which shape=wsd lowers the rate")
      .unit("steps")
      .range(0, kMost);
}

void LrOptions::check(std::int64_t total_steps) const {
  const auto refuse = [](const std::string& reason) { throw Error(ErrorCode::kInvalidConfig, reason); };
  if (warmup_steps > total_steps) {
    refuse(fmt::format("a warm-up of {} steps does not fit into a run of {}", warmup_steps, total_steps));
  }
  if (shape == LrShape::kWarmupStableDecay && decay_steps > total_steps - warmup_steps) {
    refuse(fmt::format("a warm-up of {} steps and a decay of {} do not fit into a run of {}", warmup_steps,
                       decay_steps, total_steps));
  }
  if (!std::is_sorted(milestones.begin(), milestones.end())) {
    refuse("the milestones of the learning rate are not in ascending order");
  }
}

double learning_rate(const LrOptions& options, std::int64_t step, std::int64_t total_steps) {
  const std::int64_t warmup = options.warmup_steps;
  if (step < warmup) {
    return options.peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  }
  const double peak = options.peak;
  const double last = options.final_ratio * peak;
  const double t = share_done(step, warmup, total_steps);
  switch (options.shape) {
    case LrShape::kConstant:
      return peak;
    case LrShape::kLinear:
      return peak + (last - peak) * t;
    case LrShape::kCosine:
      return last + (peak - last) * (1 + std::cos(std::numbers::pi * t)) / 2;
    case LrShape::kPolynomial:
      return last + (peak - last) * std::pow(1 - t, options.power);
    case LrShape::kStep:
      return after_milestones(options, step);
    case LrShape::kWarmupStableDecay:
      return peak + (last - peak) * share_done(step, total_steps - options.decay_steps, total_steps);
  }
  return peak;
}

}  // namespace lockstep
