#include "cli/bench/scaling/mlp_size.h"

#include <algorithm>
#include <cmath>

namespace lockstep::bench::scaling {
namespace {

constexpr std::int64_t kInputs = 784;
constexpr std::int64_t kInnerLayers = 6;
constexpr std::int64_t kClasses = 10;
constexpr std::int64_t kMultiple = 16;

}  // namespace

std::int64_t mlp_parameters(int width) {
  const std::int64_t w = width;
  return (kInputs + 1) * w + kInnerLayers * (w + 1) * w + (w + 1) * kClasses;
}

// A quadratic in the width: a w^2 + b w + c = parameters.
int mlp_width(std::int64_t parameters) {
  constexpr double kA = kInnerLayers;
  constexpr double kB = kInputs + 1 + kInnerLayers + kClasses;
  const auto c = static_cast<double>(kClasses - parameters);
  const double exact = (-kB + std::sqrt(std::max(kB * kB - 4 * kA * c, 0.0))) / (2 * kA);
  return static_cast<int>(std::max<std::int64_t>(std::llround(exact / kMultiple), 1) * kMultiple);
}

}  // namespace lockstep::bench::scaling
