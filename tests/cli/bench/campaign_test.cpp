#include "cli/bench/campaign.h"

#include <gtest/gtest.h>

namespace lockstep::bench {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kSmall = 4096;
constexpr std::size_t kLarge = 128 << 20;

CampaignPlan plan_of(int rounds) {
  CampaignPlan plan;
  plan.rounds = rounds;
  plan.time_per_point = seconds(1);
  return plan;
}

TEST(IterationsPerRound, FillTheTimeThatThereIs) {
  EXPECT_EQ(iterations_per_round(plan_of(10), kSmall, milliseconds(2)), 50);
}

TEST(IterationsPerRound, AreNotTooMany) {
  EXPECT_EQ(iterations_per_round(plan_of(10), kSmall, microseconds(1)), 100);
  EXPECT_EQ(iterations_per_round(plan_of(10), kSmall, microseconds(0)), 100);
}

TEST(IterationsPerRound, GiveThirtySamplesEvenWhereTimeIsShort) {
  EXPECT_EQ(iterations_per_round(plan_of(10), kSmall, seconds(1)), 3);
  EXPECT_EQ(iterations_per_round(plan_of(7), kSmall, seconds(1)), 5);
  EXPECT_EQ(iterations_per_round(plan_of(1), kSmall, seconds(1)), 30);
}

TEST(IterationsPerRound, GiveFifteenSamplesOfLargeBuffers) {
  EXPECT_EQ(iterations_per_round(plan_of(10), kLarge, seconds(1)), 2);
  EXPECT_EQ(iterations_per_round(plan_of(1), kLarge, seconds(1)), 15);
}

}  // namespace
}  // namespace lockstep::bench
