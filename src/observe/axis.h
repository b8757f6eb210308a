#pragma once

// One axis of a chart: maps values to positions, and has round numbers as labels.

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
  // From the first step to the last, with round whole numbers in between. A range of zero width is widened, here and
  // below.
  static Axis of_steps(AxisRange range);
  // Extended to the nearest round numbers. Values are finite, and positive on a logarithmic axis.
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
