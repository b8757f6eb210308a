#pragma once

// The points of a curve, and how many of them are made fewer or smoother without telling another story.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

struct CurvePoint {
  std::int64_t step = 0;
  double epoch = 0;
  double value = 0;  // not a number: the curve is interrupted here

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

using CurvePoints = std::vector<CurvePoint>;

// Whether it can be drawn: finite, and small enough to compute with.
bool is_drawable(double value);

// At most `limit` (4 or more) of the points. Each of limit / 4 stretches keeps its first, last, lowest and highest
// point, so no spike is lost, and a line through them covers the same pixels.
CurvePoints thinned(const CurvePoints& points, std::size_t limit);

// A line laid through the neighbours of each point, an 80th of the curve to either side, twice. It does not lag behind
// as a running mean does, and begins and ends where the curve does. Of more than `limit` points, means of neighbours
// stand in for them.
CurvePoints smoothed(const CurvePoints& points, std::size_t limit);

}  // namespace lockstep
