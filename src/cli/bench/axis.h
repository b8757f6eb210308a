#pragma once

// Maps values to coordinates in a picture.

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::bench::svg {

// The smallest range that contains all values.
struct Range {
  double low = std::numeric_limits<double>::max();
  double high = 0;

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// Whole decades around a range of positive values, so that its ends are grid lines.
inline Range decades_around(const Range& range) {
  const double low = std::pow(10, std::floor(std::log10(range.low)));
  const double high = std::pow(10, std::ceil(std::log10(range.high)));
  return {.low = low, .high = std::max(high, low * 10)};
}

// A logarithmic axis for positive values; `first` and `last` are the coordinates of the ends of the range.
class Axis {
 public:
  Axis(const Range& range, double first, double last)
      : low_(std::log(range.low)),
        scale_((last - first) / std::max(std::log(range.high) - low_, 1e-9)),
        first_(first) {}

  double place(double value) const { return first_ + (std::log(value) - low_) * scale_; }

 private:
  double low_;
  double scale_;
  double first_;
};

}  // namespace lockstep::bench::svg
