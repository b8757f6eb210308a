#include "cli/run/number_ranges.h"

#include <gtest/gtest.h>

namespace lockstep::run {
namespace {

TEST(NumberRanges, AreAsPeopleWriteThem) {
  EXPECT_EQ(number_ranges({}), "");
  EXPECT_EQ(number_ranges({0}), "0");
  EXPECT_EQ(number_ranges({0, 1}), "0-1");
  EXPECT_EQ(number_ranges({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(number_ranges({1, 3, 5, 6}), "1,3,5-6");
}

}  // namespace
}  // namespace lockstep::run
