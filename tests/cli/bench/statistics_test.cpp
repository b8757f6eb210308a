#include "cli/bench/statistics.h"

#include <gtest/gtest.h>

#include <numeric>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

TEST(Median, IsTheMiddleValueInAnyOrder) {
  EXPECT_EQ(median({9, 1, 4}), 4);
}

TEST(Median, OfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({10, 1, 2, 4}), 3);
}

TEST(Median, OfOneValueIsThatValue) {
  EXPECT_EQ(median({7}), 7);
}

TEST(Median, RefusesNothing) {
  try {
    median({});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(error.message(), "there is no value to summarize");
  }
}

TEST(Quantile, IsTheSmallestValueThatEnoughDoNotExceed) {
  std::vector<double> hundred(100);
  std::iota(hundred.begin(), hundred.end(), 1);
  EXPECT_EQ(quantile(hundred, 0.95), 95);
  EXPECT_EQ(quantile({3, 1, 2}, 0.95), 3);
  EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
}

TEST(Quantile, OfTheEndsIsTheSmallestAndTheLargest) {
  EXPECT_EQ(quantile({5, 3, 8}, 0), 3);
  EXPECT_EQ(quantile({5, 3, 8}, 1), 8);
}

TEST(GeometricMean, OfARatioAndItsInverseIsOne) {
  EXPECT_DOUBLE_EQ(geometric_mean({4, 0.25}), 1);
  EXPECT_DOUBLE_EQ(geometric_mean({1, 2, 4}), 2);
  EXPECT_DOUBLE_EQ(geometric_mean({3}), 3);
}

TEST(GeometricMean, RefusesNothing) {
  EXPECT_THROW(geometric_mean({}), Error);
}

TEST(BusBandwidth, CountsWhatEachRankHasToSend) {
  EXPECT_DOUBLE_EQ(bus_bandwidth_gbs(1'000'000, 2, 100), 10);  // p = 2: the buffer once
  EXPECT_DOUBLE_EQ(bus_bandwidth_gbs(1'000'000, 4, 100), 15);  // p = 4: one and a half times
  EXPECT_DOUBLE_EQ(bus_bandwidth_gbs(1'000'000, 1, 100), 0);
}

}  // namespace
}  // namespace lockstep::bench
