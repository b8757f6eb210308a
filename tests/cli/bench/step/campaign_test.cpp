#include "cli/bench/step/campaign.h"

#include <gtest/gtest.h>

namespace lockstep::bench::step {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

CampaignPlan plan_with(milliseconds time_per_round) {
  CampaignPlan plan;
  plan.time_per_round = time_per_round;
  return plan;
}

TEST(StepsPerRound, FillTheTimeThatThereIs) {
  EXPECT_EQ(steps_per_round(plan_with(milliseconds(600)), milliseconds(75)), 8);
}

TEST(StepsPerRound, AreAtLeastTwo) {
  EXPECT_EQ(steps_per_round(plan_with(milliseconds(600)), milliseconds(500)), 2);
  EXPECT_EQ(steps_per_round(plan_with(milliseconds(600)), seconds(10)), 2);
}

TEST(StepsPerRound, AreNotTooMany) {
  EXPECT_EQ(steps_per_round(plan_with(milliseconds(600)), microseconds(1)), 200);
  EXPECT_EQ(steps_per_round(plan_with(milliseconds(600)), microseconds(0)), 200);
}

}  // namespace
}  // namespace lockstep::bench::step
