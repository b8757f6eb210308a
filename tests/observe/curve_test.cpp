#include "observe/curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "not_finite.h"

namespace lockstep {
namespace {

CurvePoints curve_of(std::int64_t count, double (*value)(std::int64_t)) {
  CurvePoints points;
  for (std::int64_t step = 0; step < count; ++step) {
    points.push_back({step, 0, value(step)});
  }
  return points;
}

bool has_step(const CurvePoints& points, std::int64_t step) {
  return std::any_of(points.begin(), points.end(), [step](const CurvePoint& p) { return p.step == step; });
}

bool is_in_order(const CurvePoints& points) {
  return std::is_sorted(points.begin(), points.end(),
                        [](const CurvePoint& a, const CurvePoint& b) { return a.step < b.step; });
}

TEST(Drawable, IsWhatIsFiniteAndNotAbsurd) {
  EXPECT_TRUE(is_drawable(0));
  EXPECT_TRUE(is_drawable(-1e299));
  EXPECT_FALSE(is_drawable(kNan));
  EXPECT_FALSE(is_drawable(-kInf));
  EXPECT_FALSE(is_drawable(1e301));
}

TEST(Thinned, LeavesAShortCurveAlone) {
  const CurvePoints points = curve_of(2000, [](std::int64_t step) { return static_cast<double>(step); });
  EXPECT_EQ(thinned(points, 2000), points);
  EXPECT_TRUE(thinned({}, 4).empty());
}

TEST(Thinned, KeepsEverySpikeOfALongCurve) {
  CurvePoints points =
      curve_of(100'003, [](std::int64_t step) { return std::sin(static_cast<double>(step)); });
  points[777].value = 50;
  points[50'001].value = -50;
  const CurvePoints kept = thinned(points, 2000);
  EXPECT_LE(kept.size(), 2000U);
  EXPECT_GE(kept.size(), 1000U);
  EXPECT_TRUE(is_in_order(kept));
  for (const std::int64_t step : {0, 777, 50'001, 100'002}) {
    EXPECT_TRUE(has_step(kept, step)) << step;
  }
}

TEST(Thinned, FindsExtremesBetweenWhatIsNotFinite) {
  CurvePoints points = curve_of(40, [](std::int64_t /*step*/) { return kNan; });
  points[13].value = 1;
  points[14].value = 3;
  points[15].value = 2;
  const CurvePoints kept = thinned(points, 4);
  EXPECT_LE(kept.size(), 4U);
  EXPECT_TRUE(has_step(kept, 13));
  EXPECT_TRUE(has_step(kept, 14));
}

TEST(Smoothed, FollowsAStraightLineToItsEnds) {
  const CurvePoints points = curve_of(500, [](std::int64_t step) { return 3.0 * static_cast<double>(step); });
  const CurvePoints smooth = smoothed(points, 2000);
  ASSERT_EQ(smooth.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(smooth[i].value, points[i].value, 1e-9);
  }
}

TEST(Smoothed, TakesTheNoiseOut) {
  const CurvePoints points = curve_of(800, [](std::int64_t step) { return step % 2 == 0 ? 1.0 : -1.0; });
  for (const CurvePoint& point : smoothed(points, 2000)) {
    EXPECT_LT(std::abs(point.value), 0.3);
  }
}

TEST(Smoothed, StaysWithinTheValuesAroundASpike) {
  CurvePoints points = curve_of(400, [](std::int64_t /*step*/) { return 0.5; });
  points[3].value = 1e20;
  for (const CurvePoint& point : smoothed(points, 2000)) {
    EXPECT_GE(point.value, 0.5);
  }
  EXPECT_EQ(smoothed(points, 2000).back().value, 0.5)
      << "one huge value does not take the digits of the rest";
}

TEST(Smoothed, KeepsGapsAndNothingFlowsOutOfThem) {
  CurvePoints points = curve_of(400, [](std::int64_t /*step*/) { return 2.0; });
  points[100].value = kNan;
  points[200].value = kInf;
  const CurvePoints smooth = smoothed(points, 2000);
  EXPECT_FALSE(is_drawable(smooth[100].value));
  EXPECT_FALSE(is_drawable(smooth[200].value));
  EXPECT_EQ(smooth[101].value, 2);
  EXPECT_EQ(smooth[201].value, 2);
}

TEST(Smoothed, HasNoMorePointsThanAllowed) {
  const CurvePoints points = curve_of(100'003, [](std::int64_t /*step*/) { return 7.0; });
  const CurvePoints smooth = smoothed(points, 2000);
  EXPECT_EQ(smooth.size(), 2000U);
  EXPECT_TRUE(is_in_order(smooth));
  EXPECT_EQ(smooth.front().value, 7);
  EXPECT_TRUE(smoothed({}, 2000).empty());
}

}  // namespace
}  // namespace lockstep
