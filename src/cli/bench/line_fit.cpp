#include "cli/bench/line_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void require_line(std::span<const double> x, std::span<const double> y) {
  const bool different = std::any_of(x.begin(), x.end(), [&](double value) { return value != x.front(); });
  if (x.size() != y.size() || !different) {
    throw Error(ErrorCode::kInvalidArgument, "a line needs two points with different x");
  }
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  for (const double value : values) {
    if (!(value > 0)) {
      throw Error(ErrorCode::kInvalidArgument, "a power needs positive values");
    }
    logs.push_back(std::log(value));
  }
  return logs;
}

}  // namespace

LineFit fit_line(std::span<const double> x, std::span<const double> y) {
  require_line(x, y);
  const double x_mean = mean(x);
  const double y_mean = mean(y);
  double x_spread = 0;
  double product = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x_spread += (x[i] - x_mean) * (x[i] - x_mean);
    product += (x[i] - x_mean) * (y[i] - y_mean);
  }
  LineFit fit{.slope = product / x_spread};
  fit.at_zero = y_mean - fit.slope * x_mean;
  double off = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double distance = y[i] - fit.at_zero - fit.slope * x[i];
    off += distance * distance;
  }
  if (x.size() > 2) {
    fit.slope_error = std::sqrt(off / static_cast<double>(x.size() - 2) / x_spread);
  }
  return fit;
}

LineFit fit_power(std::span<const double> x, std::span<const double> y) {
  return fit_line(logarithms(x), logarithms(y));
}

}  // namespace lockstep::bench
