#pragma once

// How one quantity grows with another: a least-squares line through measured points.

#include <span>

namespace lockstep::bench {

struct LineFit {
  double slope = 0;
  double slope_error = 0;  // its standard error, from the residuals; 0 with two points
  double at_zero = 0;      // the value of the line at x = 0
};

// Throws Error{kInvalidArgument} unless there are as many x as y, and at least two different x.
LineFit fit_line(std::span<const double> x, std::span<const double> y);

// The same through the logarithms of positive values: y grows with the `slope`-th power of x.
LineFit fit_power(std::span<const double> x, std::span<const double> y);

}  // namespace lockstep::bench
