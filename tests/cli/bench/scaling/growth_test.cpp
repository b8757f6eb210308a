#include "cli/bench/scaling/growth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::bench::scaling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::uint64_t kCacheBytes = 60'000'000;  // twice that is the working set of 10 million parameters

// One rank, with a time outside compute as it is measured and 12 bytes for each parameter.
Result result_of(std::int64_t parameters, double outside_ms) {
  Result result{.point = {.ranks = 1, .parameters = parameters}};
  result.compute_ms = 1;
  result.step.median_ms = 1 + outside_ms;
  result.step.total_memory_mb = 50 + 12 * static_cast<double>(parameters) / 1e6;
  result.working_set_bytes = 12 * static_cast<std::uint64_t>(parameters);
  return result;
}

// Linear, but for the first two sizes, which take half as long for each parameter.
std::vector<Result> linear_beyond_the_cache() {
  return {result_of(1 * kMillion, 0.5), result_of(3 * kMillion, 1.5), result_of(10 * kMillion, 10),
          result_of(30 * kMillion, 30), result_of(100 * kMillion, 100)};
}

// With the power that it has; all beyond the cache.
std::vector<Result> power_of(double exponent) {
  std::vector<Result> results;
  for (const std::int64_t millions : {10, 30, 100}) {
    results.push_back(result_of(millions * kMillion, std::pow(static_cast<double>(millions), exponent)));
  }
  return results;
}

TEST(Growth, IsFittedBeyondTheCacheOnly) {
  const Growth growth = growth_on(1, linear_beyond_the_cache(), kCacheBytes);
  EXPECT_THAT(growth.fitted, ElementsAre(10 * kMillion, 30 * kMillion, 100 * kMillion));
  EXPECT_THAT(growth.unfitted, ElementsAre(UnfittedSize{1 * kMillion, Unfit::kInCache},
                                           UnfittedSize{3 * kMillion, Unfit::kInCache}));
  EXPECT_NEAR(growth.time.value().slope, 1, 1e-12);
  EXPECT_EQ(growth.linear, true);
}

// What this is all about: through all sizes, the same results look more than linear.
TEST(Growth, WouldBeMoreThanLinearWithWhatTheCacheHolds) {
  const Growth growth = growth_on(1, linear_beyond_the_cache(), 1);
  EXPECT_GT(growth.time.value().slope, kLargestExponent);
  EXPECT_EQ(growth.linear, false);
}

TEST(Growth, BeginsAtTheFactorTimesTheCache) {
  EXPECT_FALSE(in_cache(result_of(10 * kMillion, 1), kCacheBytes));
  EXPECT_TRUE(in_cache(result_of(10 * kMillion - 1, 1), kCacheBytes));
  EXPECT_EQ(growth_on(1, linear_beyond_the_cache(), kCacheBytes).least_parameters, 10 * kMillion);
  EXPECT_EQ(growth_on(1, linear_beyond_the_cache(), kCacheBytes + 1).least_parameters, 10 * kMillion + 1);
}

TEST(Growth, CountsAsLinearUpToItsLimit) {
  EXPECT_EQ(growth_on(1, power_of(0.5), kCacheBytes).linear, true);
  EXPECT_EQ(growth_on(1, power_of(1.09), kCacheBytes).linear, true);
  EXPECT_EQ(growth_on(1, power_of(1.11), kCacheBytes).linear, false);
}

TEST(Growth, IsNotFittedThroughTwoSizes) {
  std::vector<Result> results = linear_beyond_the_cache();
  results.pop_back();
  const Growth growth = growth_on(1, results, kCacheBytes);
  EXPECT_FALSE(growth.time);
  EXPECT_FALSE(growth.linear);
  EXPECT_THAT(growth.fitted, IsEmpty());
  EXPECT_THAT(
      growth.unfitted,
      ElementsAre(UnfittedSize{1 * kMillion, Unfit::kInCache}, UnfittedSize{3 * kMillion, Unfit::kInCache},
                  UnfittedSize{10 * kMillion, Unfit::kTooFew}, UnfittedSize{30 * kMillion, Unfit::kTooFew}));
  EXPECT_TRUE(growth.memory);
}

// Noise can make a short step look faster than its computation.
TEST(Growth, IsNotFittedThroughATimeThatIsNone) {
  std::vector<Result> results = linear_beyond_the_cache();
  results.push_back(result_of(200 * kMillion, 0));
  results.push_back(result_of(300 * kMillion, -1));
  const Growth growth = growth_on(1, results, kCacheBytes);
  EXPECT_NEAR(growth.time.value().slope, 1, 1e-12);
  EXPECT_THAT(growth.unfitted, ElementsAre(UnfittedSize{1 * kMillion, Unfit::kInCache},
                                           UnfittedSize{3 * kMillion, Unfit::kInCache},
                                           UnfittedSize{200 * kMillion, Unfit::kNoTime},
                                           UnfittedSize{300 * kMillion, Unfit::kNoTime}));
}

TEST(Growth, IsFittedThroughAllButNotJudgedWhenTheCacheIsUnknown) {
  const Growth growth = growth_on(1, linear_beyond_the_cache(), std::nullopt);
  EXPECT_GT(growth.time.value().slope, 1.1);
  EXPECT_FALSE(growth.linear);
  EXPECT_EQ(growth.fitted.size(), 5U);
  EXPECT_THAT(growth.unfitted, IsEmpty());
  EXPECT_FALSE(growth.least_parameters);
}

TEST(Growth, OfMemoryIsFittedThroughAllSizes) {
  const Growth growth = growth_on(1, linear_beyond_the_cache(), kCacheBytes);
  EXPECT_NEAR(growth.memory.value().slope, 12, 1e-9);
  EXPECT_NEAR(growth.memory.value().at_zero, 50e6, 1);
  EXPECT_FALSE(growth_on(1, {result_of(kMillion, 1)}, kCacheBytes).memory);
}

TEST(Growth, IsThatOfItsOwnRanks) {
  std::vector<Result> results = linear_beyond_the_cache();
  results.push_back({.point = {.ranks = 2, .parameters = 100 * kMillion}});
  EXPECT_EQ(growth_on(1, results, kCacheBytes).fitted.size(), 3U);
  const Growth none = growth_on(3, results, kCacheBytes);
  EXPECT_EQ(none.ranks, 3);
  EXPECT_THAT(none.unfitted, IsEmpty());
  EXPECT_FALSE(none.least_parameters);
}

TEST(Unfit, HasAName) {
  EXPECT_EQ(to_string(Unfit::kInCache), "in cache");
  EXPECT_EQ(to_string(Unfit::kNoTime), "no time");
  EXPECT_EQ(to_string(Unfit::kTooFew), "too few");
}

}  // namespace
}  // namespace lockstep::bench::scaling
