#include "observe/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace lockstep {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> labels_of(const Axis& axis) {
  std::vector<std::string> labels;
  for (const Tick& tick : axis.ticks()) {
    labels.push_back(tick.label);
  }
  return labels;
}

TEST(Axis, OfStepsHasRoundNumbersWithinExactEnds) {
  const Axis axis = Axis::of_steps({1, 4321});
  EXPECT_THAT(labels_of(axis), ElementsAre("1,000", "2,000", "3,000", "4,000"));
  EXPECT_EQ(axis.place(1), 0);
  EXPECT_EQ(axis.place(2161), 0.5);
  EXPECT_EQ(axis.place(4321), 1);
}

TEST(Axis, OfStepsHasWholeNumbersOnly) {
  EXPECT_THAT(labels_of(Axis::of_steps({0, 2})), ElementsAre("0", "1", "2"));
  EXPECT_THAT(labels_of(Axis::of_steps({7, 7})), ElementsAre("7"));
}

TEST(Axis, GoesToRoundNumbersAroundValues) {
  const Axis axis = Axis::around({0.07, 0.93});
  EXPECT_THAT(labels_of(axis), ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_EQ(axis.range().low, 0);
  EXPECT_EQ(axis.range().high, 1);
}

TEST(Axis, ShortensWhatIsLargeOrSmall) {
  EXPECT_THAT(labels_of(Axis::around({0, 3e-4})),
              ElementsAre("0", "5e-5", "1.0e-4", "1.5e-4", "2.0e-4", "2.5e-4", "3.0e-4"));
  EXPECT_THAT(labels_of(Axis::around({0, 12'000})), ElementsAre("0", "2k", "4k", "6k", "8k", "10k", "12k"));
  EXPECT_THAT(labels_of(Axis::around({1e6, 2.4e6})), ElementsAre("1.0M", "1.5M", "2.0M", "2.5M"));
  EXPECT_THAT(labels_of(Axis::around({-2e20, 2e20})), ElementsAre("-2e20", "-1e20", "0", "1e20", "2e20"));
}

TEST(Axis, GivesAWidthToARangeWithoutOne) {
  for (const double value : {0.0, 5.0, -3.0, 1e-30, 1e300, 5e-324}) {
    for (const Axis& axis : {Axis::of_steps({value, value}), Axis::around({value, value})}) {
      EXPECT_LT(axis.range().low, axis.range().high) << value;
      EXPECT_GT(axis.place(value), 0) << value;
      EXPECT_LT(axis.place(value), 1) << value;
      EXPECT_LE(axis.ticks().size(), 12U) << value;
    }
  }
}

TEST(Axis, KeepsToAFewLabelsWhateverTheRange) {
  for (const AxisRange range : {AxisRange{-1e299, 1e299}, AxisRange{0, 5e-324}, AxisRange{1, 1 + 1e-15},
                                AxisRange{1e10, 1e10 + 1}, AxisRange{-7, 1e6}}) {
    const Axis axis = Axis::around(range);
    EXPECT_GE(axis.ticks().size(), 2U) << range.low << " " << range.high;
    EXPECT_LE(axis.ticks().size(), 12U) << range.low << " " << range.high;
  }
}

TEST(LogarithmicAxis, HasOneTwoAndFiveForAFewDecades) {
  const Axis axis = Axis::around({0.03, 3.1}, AxisScale::kLogarithmic);
  EXPECT_THAT(labels_of(axis), ElementsAre("0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5"));
  EXPECT_DOUBLE_EQ(axis.place(0.02), 0);
  EXPECT_DOUBLE_EQ(axis.place(5), 1);
}

TEST(LogarithmicAxis, HasPowersOfTenForMore) {
  EXPECT_THAT(labels_of(Axis::around({1e-5, 1e3}, AxisScale::kLogarithmic)),
              ElementsAre("1e-4", "0.01", "1", "100"));
  EXPECT_THAT(labels_of(Axis::around({0.1, 1e4}, AxisScale::kLogarithmic)),
              ElementsAre("0.1", "1", "10", "100", "1,000", "1e4"));
}

TEST(LogarithmicAxis, BearsTheSmallestNumbers) {
  const Axis axis = Axis::around({std::numeric_limits<double>::denorm_min(), 1e299}, AxisScale::kLogarithmic);
  EXPECT_GE(axis.place(std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_LE(axis.ticks().size(), 12U);
  EXPECT_GE(axis.ticks().size(), 2U);
}

}  // namespace
}  // namespace lockstep
