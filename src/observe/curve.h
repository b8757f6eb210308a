#pragma once

// The points of a curve, and how they are thinned or smoothed without distorting it.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

struct CurvePoint {
  std::int64_t step = 0;
  double epoch = 0;
  double value = 0;  // NaN: the curve is interrupted here

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

using CurvePoints = std::vector<CurvePoint>;

// Whether it can be drawn: finite, and small enough to compute with.
bool is_drawable(double value);

// At most `limit` (4 or more) of the points. Each of limit / 4 stretches keeps its first, last, lowest and highest
// point, so no spike is lost, and a line through them covers the same pixels.
CurvePoints thinned(const CurvePoints& points, std::size_t limit);

// Fits a line through the neighbours of each point, an 80th of the curve to either side, twice. Unlike a running mean
// it does not lag, and it begins and ends where the curve does. More than `limit` points are first replaced by means of
// neighbours.
CurvePoints smoothed(const CurvePoints& points, std::size_t limit);

}  // namespace lockstep
