#include "reduce/ready_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Bucket 0 holds gradients 3 and 1, bucket 1 holds 0 and 2.
BucketPlan sample_plan() {
  BucketPlan plan;
  plan.buckets.resize(2);
  plan.buckets[0].gradients = {{.index = 3}, {.index = 1}};
  plan.buckets[1].gradients = {{.index = 0}, {.index = 2}};
  return plan;
}

TEST(ReadyTracker, BeginsWithNothing) {
  const ReadyTracker tracker(sample_plan());
  for (std::size_t index = 0; index < 4; ++index) {
    EXPECT_FALSE(tracker.ready(index));
  }
  EXPECT_FALSE(tracker.full(0));
  EXPECT_FALSE(tracker.full(1));
  EXPECT_THAT(tracker.arrivals(), IsEmpty());
}

TEST(ReadyTracker, FillsABucketWithItsLastGradient) {
  ReadyTracker tracker(sample_plan());
  EXPECT_TRUE(tracker.mark(1));
  EXPECT_TRUE(tracker.mark(2));
  EXPECT_FALSE(tracker.full(0));
  EXPECT_TRUE(tracker.mark(3));
  EXPECT_TRUE(tracker.full(0));
  EXPECT_FALSE(tracker.full(1));
}

TEST(ReadyTracker, CountsAGradientOnce) {
  ReadyTracker tracker(sample_plan());
  EXPECT_TRUE(tracker.mark(3));
  EXPECT_FALSE(tracker.mark(3));
  EXPECT_FALSE(tracker.full(0));
  EXPECT_THAT(tracker.arrivals(), ElementsAre(3));
}

TEST(ReadyTracker, RemembersTheOrderOfArrival) {
  ReadyTracker tracker(sample_plan());
  for (const std::size_t index : {2U, 3U, 2U, 0U, 1U}) {
    tracker.mark(index);
  }
  EXPECT_THAT(tracker.arrivals(), ElementsAre(2, 3, 0, 1));
}

TEST(ReadyTracker, ForgetsAStepWhenReset) {
  ReadyTracker tracker(sample_plan());
  tracker.mark(3);
  tracker.mark(1);
  tracker.reset();
  EXPECT_FALSE(tracker.ready(3));
  EXPECT_FALSE(tracker.full(0));
  EXPECT_THAT(tracker.arrivals(), IsEmpty());
  EXPECT_TRUE(tracker.mark(3));
}

TEST(ReadyTracker, OfAnEmptyPlanHasNothingToTell) {
  const ReadyTracker tracker{BucketPlan()};
  EXPECT_THAT(tracker.arrivals(), IsEmpty());
}

}  // namespace
}  // namespace lockstep
