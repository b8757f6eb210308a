#include "cli/bench/training_summary.h"

#include <gtest/gtest.h>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

TEST(TrainingSummary, HasTheMiddleAndTheEndsOfTheTimes) {
  const TrainingSummary summary = summarize({.times_ms = {5, 1, 3, 2, 4, 6, 9, 7, 10, 8, 11},
                                             .peak_rss_bytes = 2'500'000,
                                             .total_memory_bytes = 4'000'000});
  EXPECT_EQ(summary.median_ms, 6);
  EXPECT_EQ(summary.p10_ms, 2);
  EXPECT_EQ(summary.p90_ms, 10);
  EXPECT_EQ(summary.peak_rss_mb, 2.5);
  EXPECT_EQ(summary.total_memory_mb, 4);
  EXPECT_EQ(summary.samples, 11U);
}

TEST(TrainingSummary, NeedsAStep) {
  EXPECT_THROW(summarize(Measurements{}), Error);
}

}  // namespace
}  // namespace lockstep::bench
