#include "cli/bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/example_report.h"

namespace lockstep::bench {
namespace {

using testing::ElementsAre;

TEST(Report, SummarizesTheSamplesOfEachPoint) {
  const Report report = summarize(example_observations());
  const Result* gloo = report.find(kSmallPoint, Implementation::kGloo);
  ASSERT_NE(gloo, nullptr);
  EXPECT_DOUBLE_EQ(gloo->median_us, 80);
  EXPECT_DOUBLE_EQ(gloo->p95_us, 160);
  EXPECT_DOUBLE_EQ(gloo->busbw_gbs, 4096 / 80.0 / 1e3);
  EXPECT_EQ(gloo->samples, 3);
}

TEST(Report, KeepsTheStatesOfTheMachineApart) {
  const Report report = summarize(example_observations());
  const auto& by_proximity = report.find(kSmallPoint, Implementation::kLockstep)->by_proximity;
  EXPECT_DOUBLE_EQ(by_proximity.at(Proximity::kSameL3).median_us, 1.8);
  EXPECT_EQ(by_proximity.at(Proximity::kSameL3).samples, 1);
  EXPECT_DOUBLE_EQ(by_proximity.at(Proximity::kCrossL3).median_us, 3);
  EXPECT_EQ(by_proximity.at(Proximity::kCrossL3).samples, 2);
  EXPECT_FALSE(by_proximity.contains(Proximity::kMixed));
}

TEST(Report, BoundsATimeByTheKernelAndTwoFlags) {
  const Report report = summarize(example_observations());
  const Bound* bound = report.find_bound(kSmallPoint);
  ASSERT_NE(bound, nullptr);
  EXPECT_DOUBLE_EQ(bound->bound_us, 1 + 2 * 0.2 / 2);
  EXPECT_DOUBLE_EQ(bound->busbw_gbs, 4096 / 1.2 / 1e3);
  EXPECT_DOUBLE_EQ(bound->share.value(), 0.6);
}

TEST(Report, ComparesTheOthersWithLockstep) {
  const Report report = summarize(example_observations());
  EXPECT_DOUBLE_EQ(report.times_as_long(kSmallPoint, Implementation::kGloo).value(), 40);
  EXPECT_DOUBLE_EQ(report.times_as_long(kSmallPoint, Implementation::kOpenMpi).value(), 1.5);
}

TEST(Report, ComparesNothingWithoutLockstep) {
  Observations seen = example_observations();
  seen.samples.erase({kSmallPoint, Implementation::kLockstep});
  const Report report = summarize(seen);
  EXPECT_EQ(report.times_as_long(kSmallPoint, Implementation::kGloo), std::nullopt);
  EXPECT_EQ(report.find_bound(kSmallPoint)->share, std::nullopt);
}

TEST(Report, FindsNothingWhereNothingWasMeasured) {
  const Report report = summarize(example_observations());
  EXPECT_EQ(report.find({.ranks = 3, .bytes = 4096}, Implementation::kLockstep), nullptr);
  EXPECT_EQ(report.find_bound({.ranks = 3, .bytes = 4096}), nullptr);
}

TEST(Report, ListsWhatItHasInOrder) {
  const Report report = summarize(example_observations());
  EXPECT_THAT(report.rank_counts(), ElementsAre(2));
  EXPECT_THAT(report.points(2), ElementsAre(kSmallPoint, kLargePoint));
  EXPECT_THAT(report.contenders(),
              ElementsAre(Implementation::kLockstep, Implementation::kGloo, Implementation::kOpenMpi));
}

TEST(Report, SummarizesThePingPong) {
  const PingPong ping_pong = summarize(example_observations()).ping_pong;
  EXPECT_DOUBLE_EQ(ping_pong.median_ns, 200);
  EXPECT_DOUBLE_EQ(ping_pong.p95_ns, 400);
  EXPECT_EQ(ping_pong.blocks.at(Proximity::kCrossL3), 2);
}

}  // namespace
}  // namespace lockstep::bench
