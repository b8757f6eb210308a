#pragma once

// One axis of a chart: where a value lies on it, and the round numbers it is labelled with.

#include <string>
#include <vector>

namespace lockstep {

enum class AxisScale { kLinear, kLogarithmic };

struct AxisRange {
  double low = 0;
  double high = 0;
};

struct Tick {
  double value = 0;
  std::string label;  // "0.25", "12.5k", "3e-4"
};

class Axis {
 public:
  // From the first step to the last, with round and whole numbers in between. A range without a width gets one, here
  // and below.
  static Axis of_steps(AxisRange range);
  // Values and the round numbers next to them. They are finite, and positive on a logarithmic axis.
  static Axis around(AxisRange range, AxisScale scale = AxisScale::kLinear);

  // 0 for the low end, 1 for the high end.
  double place(double value) const;

  AxisRange range() const { return range_; }
  AxisScale scale() const { return scale_; }
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  Axis(AxisRange range, AxisScale scale, std::vector<Tick> ticks);

  AxisRange range_;
  AxisScale scale_;
  std::vector<Tick> ticks_;
};

}  // namespace lockstep
