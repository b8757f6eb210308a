#include "reduce/bucket_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using Members = std::vector<std::vector<std::size_t>>;

std::vector<GradientSpec> specs(const std::vector<std::pair<std::size_t, DType>>& sizes) {
  std::vector<GradientSpec> gradients;
  for (const auto& [count, dtype] : sizes) {
    gradients.push_back({.name = "g" + std::to_string(gradients.size()), .count = count, .dtype = dtype});
  }
  return gradients;
}

std::vector<std::size_t> forward_order(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

Members members_of(const BucketPlan& plan) {
  Members members;
  for (const PlannedBucket& bucket : plan.buckets) {
    auto& indices = members.emplace_back();
    for (const PlannedGradient& gradient : bucket.gradients) {
      indices.push_back(gradient.index);
    }
  }
  return members;
}

// Gradients that come in the order in which they are listed.
Members grouped(const std::vector<GradientSpec>& gradients, const std::vector<std::size_t>& caps) {
  return members_of(plan_buckets(gradients, forward_order(gradients.size()), caps, 0));
}

constexpr DType kF32 = DType::kF32;
constexpr DType kF64 = DType::kF64;

TEST(BucketPlan, ClosesABucketThatHasReachedItsCap) {
  EXPECT_THAT(grouped(specs({{64, kF32}, {64, kF32}, {128, kF32}, {300, kF32}, {1, kF32}}), {512}),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3), ElementsAre(4)));
}

TEST(BucketPlan, KeepsTypesApartUnderOneCap) {
  EXPECT_THAT(grouped(specs({{64, kF32}, {32, kF64}, {64, kF32}, {32, kF64}, {64, kF32}, {32, kF64}}), {512}),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3), ElementsAre(4), ElementsAre(5)));
}

TEST(BucketPlan, UsesCapsOneAfterTheOtherAndRepeatsTheLast) {
  EXPECT_THAT(
      grouped(specs({{16, kF32}, {16, kF32}, {16, kF32}, {16, kF32}, {16, kF32}, {16, kF32}}), {64, 128}),
      ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(3, 4), ElementsAre(5)));
}

TEST(BucketPlan, UsesUpTheCapsOfEachTypeSeparately) {
  EXPECT_THAT(
      grouped(specs({{64, kF32}, {32, kF64}, {64, kF32}, {32, kF64}, {64, kF32}, {32, kF64}}), {256, 512}),
      ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2, 4), ElementsAre(3, 5)));
}

TEST(BucketPlan, FollowsTheOrderItIsGiven) {
  const auto gradients = specs({{8, kF32}, {8, kF32}, {8, kF32}, {8, kF32}});
  const std::vector<std::size_t> order = {2, 0, 3, 1};
  const std::vector<std::size_t> caps = {64};
  EXPECT_THAT(members_of(plan_buckets(gradients, order, caps, 0)),
              ElementsAre(ElementsAre(2, 0), ElementsAre(3, 1)));
}

TEST(BucketPlan, SendsFirstWhatIsCompleteFirst) {
  // The bucket of f64 begins first and waits for its last gradient longest.
  EXPECT_THAT(grouped(specs({{1, kF64}, {64, kF32}, {64, kF32}, {1, kF64}}), {256}),
              ElementsAre(ElementsAre(1), ElementsAre(2), ElementsAre(0, 3)));
}

TEST(BucketPlan, NeverCutsAGradient) {
  const auto gradients = specs({{1000, kF32}});
  const BucketPlan plan = plan_buckets(gradients, forward_order(1), std::vector<std::size_t>{1}, 0);
  ASSERT_EQ(plan.buckets.size(), 1U);
  EXPECT_EQ(plan.buckets[0].bytes, 4032U);  // 4000, up to the next multiple of 64
}

TEST(BucketPlan, PadsBucketsToSlicesOfWholeCacheLines) {
  const auto gradients = specs({{1000, kF32}, {1, kF32}});
  const BucketPlan plan = plan_buckets(gradients, forward_order(2), std::vector<std::size_t>{1}, 4, 3);
  ASSERT_EQ(plan.buckets.size(), 2U);
  EXPECT_EQ(plan.buckets[0].bytes, 4032U);  // 4000, up to the next multiple of 3 x 64
  EXPECT_EQ(plan.buckets[1].offset, 4032U);
  EXPECT_EQ(plan.buckets[1].bytes, 192U);
  EXPECT_EQ(plan.tail_offset, 4032U + 192U);
}

TEST(BucketPlan, OfNothingHasOnlyTheTail) {
  const BucketPlan plan = plan_buckets({}, {}, std::vector<std::size_t>{1}, 4);
  EXPECT_TRUE(plan.buckets.empty());
  EXPECT_EQ(plan.tail_offset, 0U);
  EXPECT_EQ(plan.bytes, 64U);
}

TEST(BucketPlan, HasRoomForAGradientWithoutElements) {
  const auto gradients = specs({{0, kF32}, {1, kF32}, {0, kF64}});
  EXPECT_THAT(grouped(gradients, {1}), ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
}

TEST(BucketPlan, PutsTheTailRightBehindTheLastBucket) {
  const auto gradients = specs({{16, kF32}, {3, kF32}});
  const BucketPlan plan = plan_buckets(gradients, forward_order(2), std::vector<std::size_t>{64}, 68);
  ASSERT_EQ(plan.buckets.size(), 2U);
  EXPECT_EQ(plan.buckets[1].offset, 64U);
  EXPECT_EQ(plan.tail_offset, 128U);
  EXPECT_EQ(plan.bytes, 256U);
}

struct Input {
  std::vector<GradientSpec> gradients;
  std::vector<std::size_t> order;
  std::vector<std::size_t> caps;
};

Input random_input(std::mt19937& random) {
  constexpr DType kTypes[] = {DType::kF16, DType::kBF16, DType::kF32, DType::kF64};
  Input input;
  for (std::size_t i = random() % 40; i > 0; --i) {
    input.gradients.push_back(
        {.name = "g", .count = random() % (1U << (random() % 12)), .dtype = kTypes[random() % 4]});
  }
  input.order = forward_order(input.gradients.size());
  std::shuffle(input.order.begin(), input.order.end(), random);
  for (std::size_t i = random() % 4 + 1; i > 0; --i) {
    input.caps.push_back(random() % 5000 + 1);
  }
  return input;
}

// Every gradient once, aligned, behind the one before it, in a bucket of its type that encloses it.
void expect_sound(const Input& input, const BucketPlan& plan) {
  std::vector<int> seen(input.gradients.size());
  std::size_t end = 0;
  for (const PlannedBucket& bucket : plan.buckets) {
    ASSERT_FALSE(bucket.gradients.empty());
    EXPECT_EQ(bucket.offset, end);
    for (const PlannedGradient& gradient : bucket.gradients) {
      const GradientSpec& spec = input.gradients[gradient.index];
      ++seen[gradient.index];
      EXPECT_EQ(spec.dtype, bucket.dtype);
      EXPECT_EQ(gradient.offset % kGradientAlignment, 0U);
      EXPECT_GE(gradient.offset, end);
      end = gradient.offset + spec.count * size_of(spec.dtype);
    }
    EXPECT_GE(bucket.offset + bucket.bytes, end);
    EXPECT_EQ(bucket.bytes % kGradientAlignment, 0U);
    end = bucket.offset + bucket.bytes;
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(seen.size()));
  EXPECT_EQ(plan.tail_offset, end);
  EXPECT_EQ(plan.bytes, end + 128);
}

// Within a bucket and from bucket to bucket of a type: the order of arrival. And each but the last of its type has
// reached its cap, though not before its last gradient.
void expect_in_order_and_full(const Input& input, const BucketPlan& plan) {
  for (const DType dtype : {DType::kF16, DType::kBF16, kF32, kF64}) {
    std::vector<std::size_t> expected;
    std::copy_if(input.order.begin(), input.order.end(), std::back_inserter(expected),
                 [&](std::size_t index) { return input.gradients[index].dtype == dtype; });
    std::vector<std::size_t> planned;
    std::size_t buckets = 0;
    for (const PlannedBucket& bucket : plan.buckets) {
      if (bucket.dtype != dtype) {
        continue;
      }
      const std::size_t cap = input.caps[std::min(buckets++, input.caps.size() - 1)];
      std::size_t bytes = 0;
      for (const PlannedGradient& gradient : bucket.gradients) {
        EXPECT_LT(bytes, cap) << "was full before";
        bytes += input.gradients[gradient.index].count * size_of(dtype);
        planned.push_back(gradient.index);
      }
      EXPECT_TRUE(bytes >= cap || planned.size() == expected.size()) << "was closed before it was full";
    }
    EXPECT_EQ(planned, expected);
  }
}

TEST(BucketPlan, IsSoundForAnyInput) {
  std::mt19937 random(20261116);
  for (int trial = 0; trial < 1000 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const Input input = random_input(random);
    const BucketPlan plan = plan_buckets(input.gradients, input.order, input.caps, 65);
    expect_sound(input, plan);
    expect_in_order_and_full(input, plan);
  }
}

TEST(ReverseOrder, CountsDown) {
  EXPECT_THAT(reverse_order(3), ElementsAre(2, 1, 0));
  EXPECT_TRUE(reverse_order(0).empty());
}

TEST(DescribePlan, ShowsOneLinePerBucket) {
  const std::vector<GradientSpec> gradients = {{.name = "layer.weight", .count = 524288},
                                               {.name = "layer.bias", .count = 512},
                                               {.name = "norm", .count = 5, .dtype = DType::kBF16},
                                               {.name = "head", .count = 16}};
  const BucketPlan plan =
      plan_buckets(gradients, reverse_order(4), std::vector<std::size_t>{2048, 1 << 20}, 64);
  EXPECT_EQ(describe_plan(plan, gradients),
            "bucket  type  gradients       size  first and last to come\n"
            "     0  bf16          1       64 B  norm\n"
            "     1  f32           2    2.1 KiB  head .. layer.bias\n"
            "     2  f32           1    2.0 MiB  layer.weight\n");
}

TEST(DescribePlan, OfNothingIsTheHeading) {
  EXPECT_EQ(describe_plan({}, {}), "bucket  type  gradients       size  first and last to come\n");
}

}  // namespace
}  // namespace lockstep
