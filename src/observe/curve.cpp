#include "observe/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace lockstep {
namespace {

constexpr double kLargestDrawable = 1e300;
constexpr std::size_t kSmoothedPart = 80;
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// The mean of the drawable values in [begin, end). Summed anew for each stretch: with running sums, one huge value
// would destroy the precision of all that follow.
double mean_value(const CurvePoints& points, std::size_t begin, std::size_t end) {
  double mean = 0;
  std::size_t count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (is_drawable(points[i].value)) {
      mean += (points[i].value - mean) / static_cast<double>(++count);
    }
  }
  return count > 0 ? mean : kGap;
}

CurvePoints stretch_means(const CurvePoints& points, std::size_t limit) {
  if (points.size() <= limit) {
    return points;
  }
  CurvePoints means;
  for (std::size_t stretch = 0; stretch < limit; ++stretch) {
    const std::size_t begin = points.size() * stretch / limit;
    const std::size_t end = points.size() * (stretch + 1) / limit;
    CurvePoint middle = points[(begin + end - 1) / 2];
    middle.value = mean_value(points, begin, end);
    means.push_back(middle);
  }
  return means;
}

// The value at `at` of a straight line through the drawable points of [begin, end). In the middle of a stretch that is
// their mean; at its ends, unlike the mean, it follows a steep curve. Never outside the range of the points: a spike at
// one end must not push the other end below zero.
double line_value(const CurvePoints& points, std::size_t begin, std::size_t end, std::size_t at) {
  double count = 0;
  double mean_place = 0;
  double mean = 0;
  double lowest = points[at].value;
  double highest = points[at].value;
  for (std::size_t i = begin; i < end; ++i) {
    const double value = points[i].value;
    if (is_drawable(value)) {
      ++count;
      mean_place += (static_cast<double>(i) - mean_place) / count;
      mean += (value - mean) / count;
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
  }
  double spread = 0;
  double rise = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (is_drawable(points[i].value)) {
      const double place = static_cast<double>(i) - mean_place;
      spread += place * place;
      rise += place * (points[i].value - mean);
    }
  }
  const double slope = spread > 0 ? rise / spread : 0;
  return std::clamp(mean + slope * (static_cast<double>(at) - mean_place), lowest, highest);
}

CurvePoints line_values(const CurvePoints& points, std::size_t reach) {
  CurvePoints result = points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_drawable(points[i].value)) {
      result[i].value = line_value(points, i - std::min(i, reach), std::min(i + reach + 1, points.size()), i);
    }
  }
  return result;
}

// First, lowest, highest and last of [begin, end), in order and without repeats.
void keep_shape(const CurvePoints& points, std::size_t begin, std::size_t end, CurvePoints& kept) {
  std::array<std::size_t, 4> places = {begin, begin, begin, end - 1};
  auto& [first, lowest, highest, last] = places;
  for (std::size_t i = begin; i < end; ++i) {
    const double value = points[i].value;
    if (is_drawable(value)) {
      lowest = !is_drawable(points[lowest].value) || value < points[lowest].value ? i : lowest;
      highest = !is_drawable(points[highest].value) || value > points[highest].value ? i : highest;
    }
  }
  std::sort(places.begin(), places.end());
  auto* unique_end = std::unique(places.begin(), places.end());
  for (auto* place = places.begin(); place != unique_end; ++place) {
    kept.push_back(points[*place]);
  }
}

}  // namespace

bool is_drawable(double value) {
  return std::abs(value) < kLargestDrawable;  // false for NaN
}

CurvePoints thinned(const CurvePoints& points, std::size_t limit) {
  LOCKSTEP_CHECK(limit >= 4);
  if (points.size() <= limit) {
    return points;
  }
  const std::size_t stretches = limit / 4;
  CurvePoints kept;
  for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
    keep_shape(points, points.size() * stretch / stretches, points.size() * (stretch + 1) / stretches, kept);
  }
  return kept;
}

CurvePoints smoothed(const CurvePoints& points, std::size_t limit) {
  const CurvePoints means = stretch_means(points, limit);
  const std::size_t reach = std::max<std::size_t>(1, means.size() / kSmoothedPart);
  return line_values(line_values(means, reach), reach);
}

}  // namespace lockstep
