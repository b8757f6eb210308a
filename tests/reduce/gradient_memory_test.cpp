#include "reduce/gradient_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "comm/local/local_backend.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kTail = 5;

GradientMemory make(const std::vector<GradientSpec>& gradients, bool tail_rides) {
  Communicator communicator(make_local_backend());
  return {communicator,
          plan_buckets(gradients, reverse_order(gradients.size()), std::vector<std::size_t>{1},
                       kTail * sizeof(float)),
          gradients, kTail, tail_rides};
}

const std::vector<GradientSpec>& two_floats() {
  static const std::vector<GradientSpec> gradients = {{.name = "first", .count = 20},
                                                      {.name = "second", .count = 3}};
  return gradients;
}

TEST(GradientMemory, GivesEachGradientItsPlace) {
  const GradientMemory memory = make(two_floats(), true);
  EXPECT_EQ(memory.gradient(1).data(), memory.memory().data());
  EXPECT_EQ(memory.gradient(1).count(), 3U);
  EXPECT_EQ(memory.gradient(0).data(), memory.memory().data() + 64);
  EXPECT_EQ(memory.gradient(0).count(), 20U);
  EXPECT_EQ(memory.gradient(0).dtype(), DType::kF32);
}

TEST(GradientMemory, LetsTheTailRideInTheLastBucket) {
  const GradientMemory memory = make(two_floats(), true);
  ASSERT_EQ(memory.buckets().size(), 2U);
  EXPECT_EQ(memory.buckets()[0].values.count(), 16U);
  EXPECT_EQ(memory.buckets()[1].values.count(), 32U + kTail);
  EXPECT_TRUE(memory.buckets()[1].last);
  EXPECT_EQ(memory.buckets()[1].label, "bucket 1");
  EXPECT_EQ(reinterpret_cast<const std::byte*>(memory.tail().data()),
            memory.buckets()[1].values.data() + 128);
}

TEST(GradientMemory, SendsTheTailAloneWhenItMayNotRide) {
  const GradientMemory memory = make(two_floats(), false);
  ASSERT_EQ(memory.buckets().size(), 3U);
  EXPECT_EQ(memory.buckets()[1].values.count(), 32U);
  EXPECT_TRUE(memory.buckets()[1].last);
  const GradientBucket& tail = memory.buckets()[2];
  EXPECT_EQ(tail.index, 2U);
  EXPECT_EQ(tail.label, "end of step");
  EXPECT_TRUE(tail.gradients.empty());
  EXPECT_EQ(tail.values.data(), reinterpret_cast<std::byte*>(memory.tail().data()));
  EXPECT_EQ(tail.values.count(), kTail);
  EXPECT_FALSE(tail.last);
}

TEST(GradientMemory, SendsTheTailAloneWhenTheLastBucketHasAnotherType) {
  const GradientMemory memory = make({{.name = "wide", .count = 3, .dtype = DType::kF64}}, true);
  ASSERT_EQ(memory.buckets().size(), 2U);
  EXPECT_EQ(memory.buckets()[0].values.count(), 8U);
  EXPECT_EQ(memory.buckets()[1].label, "end of step");
}

TEST(GradientMemory, OfNothingIsTheTail) {
  const GradientMemory memory = make({}, true);
  ASSERT_EQ(memory.buckets().size(), 1U);
  EXPECT_EQ(memory.buckets()[0].label, "end of step");
}

TEST(GradientMemory, StaysValidWhenItMoves) {
  GradientMemory before = make(two_floats(), true);
  const GradientMemory memory = std::move(before);
  std::vector<std::string_view> names;
  std::vector<std::string_view> labels;
  for (const GradientBucket& bucket : memory.buckets()) {
    labels.push_back(bucket.label);
    for (const BucketGradient& gradient : bucket.gradients) {
      names.push_back(gradient.name);
      EXPECT_EQ(gradient.values.data(), memory.gradient(gradient.index).data());
    }
  }
  EXPECT_THAT(labels, ElementsAre("bucket 0", "bucket 1"));
  EXPECT_THAT(names, ElementsAre("second", "first"));
}

}  // namespace
}  // namespace lockstep
