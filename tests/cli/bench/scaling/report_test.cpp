#include "cli/bench/scaling/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/scaling/example_report.h"

namespace lockstep::bench::scaling {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(ScalingReport, SplitsAStepIntoComputeAndTheRest) {
  const Report report = example_report();
  ASSERT_THAT(report.results, SizeIs(6));
  const Result& result = report.results[0];
  EXPECT_EQ(result.point, kOneSmall);
  EXPECT_EQ(result.compute_ms, 3);
  EXPECT_EQ(result.no_comm_ms, 5);
  EXPECT_EQ(result.step.median_ms, 4);
  EXPECT_EQ(result.step.p10_ms, 2);
  EXPECT_EQ(result.step.p90_ms, 8);
  EXPECT_EQ(result.outside_ms(), 1);
  EXPECT_EQ(result.outside_share(), 0.25);
  EXPECT_EQ(result.communication_share(), -0.25);
}

TEST(ScalingReport, HasTheMemoryOfTheMethodOnly) {
  const Result result = example_report().results[5];
  EXPECT_EQ(result.step.peak_rss_mb, 1300);
  EXPECT_EQ(result.step.total_memory_mb, 4 * 1300);
}

TEST(ScalingReport, KnowsTheWorkingSetOfTheMethod) {
  const Report report = example_report();
  EXPECT_EQ(report.results[0].working_set_bytes, 12'000'000U);
  EXPECT_EQ(report.results[5].working_set_bytes, 3'600'000'000U);
}

TEST(ScalingReport, HasTheGrowthOnEachNumberOfRanks) {
  const Report report = example_report();
  EXPECT_EQ(report.cache_bytes, std::uint64_t{100} << 20);
  EXPECT_THAT(report.rank_counts(), ElementsAre(1, 4));
  ASSERT_THAT(report.growth, SizeIs(2));
  EXPECT_EQ(report.growth[0].ranks, 1);
  EXPECT_THAT(report.growth[0].fitted, SizeIs(3));
  EXPECT_NEAR(report.growth[0].time.value().slope, 1, 1e-12);
  EXPECT_NEAR(report.growth[0].memory.value().slope, 12, 1e-9);
  EXPECT_EQ(report.growth[1].ranks, 4);
  EXPECT_FALSE(report.growth[1].time);
  EXPECT_NEAR(report.growth[1].memory.value().slope, 4 * 12, 1e-9);
}

TEST(ScalingReport, SeesThatALongRunIsFlat) {
  const Endurance run = example_report().endurance.value();
  EXPECT_EQ(run.steps, 80);
  EXPECT_EQ(run.time_ms.first_quarter, 2);
  EXPECT_EQ(run.time_ms.ratio(), 1);
  EXPECT_EQ(run.time_ms.change, 0);
  EXPECT_EQ(run.memory_mb.last_quarter, 50);
}

// From 2.0 to 2.7 ms in eight windows: 0.7 of 2.35 on average.
TEST(ScalingReport, SeesThatALongRunGetsSlower) {
  Observations seen = example_observations();
  double time = 2;
  for (Window& window : seen.long_run.windows) {
    window.median_ms = time;
    time += 0.1;
  }
  const Drift drift = summarize(seen).endurance.value().time_ms;
  EXPECT_DOUBLE_EQ(drift.first_quarter, 2.05);
  EXPECT_DOUBLE_EQ(drift.last_quarter, 2.65);
  EXPECT_NEAR(drift.change, 0.7 / 2.35, 1e-12);
  EXPECT_NEAR(drift.change_error, 0, 1e-9);
}

TEST(ScalingReport, SaysNothingAboutARunOfThreeWindows) {
  Observations seen = example_observations();
  seen.long_run.windows.resize(3);
  EXPECT_FALSE(summarize(seen).endurance);
}

}  // namespace
}  // namespace lockstep::bench::scaling
