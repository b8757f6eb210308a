#pragma once

// The learning rate as a pure function of the step: nothing to checkpoint, nothing to forget to call, and the same
// number on every rank.
//
//   LrOptions lr{.peak = 3e-4, .shape = LrShape::kCosine, .warmup_steps = 100, .final_ratio = 0.1};
//   for (std::int64_t step = 0; step < 1000; ++step) {
//     set_learning_rate(optimizer, learning_rate(lr, step, 1000));
//
// Steps count from 0, the first update. With W = warmup_steps, T = total steps, P = peak, F = final_ratio x peak:
//
//   step < W     P (step + 1) / W: the first step is not 0, and the last step of the warm-up is at the peak
//   afterwards   by shape, over t = (step - W) / (T - W); constant from T on
//
//   constant     P
//   linear       P + (F - P) t
//   cosine       F + (P - F) (1 + cos(pi t)) / 2
//   polynomial   F + (P - F) (1 - t)^power
//   step         P gamma^k, k = how many of `milestones` are at or before the step
//   wsd          P, then linear to F over the last `decay_steps` (warm-up, stable, decay)

#include <cstdint>
#include <vector>

#include "lockstep/config_description.h"

namespace lockstep {

enum class LrShape { kConstant, kLinear, kCosine, kPolynomial, kStep, kWarmupStableDecay };

struct LrOptions {
  double peak = 0.1;
  LrShape shape = LrShape::kConstant;
  std::int64_t warmup_steps = 0;
  double final_ratio = 0;
  double power = 1;                           // polynomial
  std::vector<std::int64_t> milestones = {};  // step
  double gamma = 0.1;                         // step
  std::int64_t decay_steps = 0;               // wsd

  void describe(config::Description& d);

  // Throws Error{kInvalidConfig} for options that contradict each other: warm-up and decay longer than the run,
  // milestones out of order.
  void check(std::int64_t total_steps) const;
};

double learning_rate(const LrOptions& options, std::int64_t step, std::int64_t total_steps);

}  // namespace lockstep
