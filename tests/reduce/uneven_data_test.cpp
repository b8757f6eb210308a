// Ranks with different amounts of data: steps without some of them, and gradients weighed by samples.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reduce/shm_ranks.h"

namespace lockstep::testing {
namespace {

constexpr int kRanks = 3;

class UnevenData : public ::testing::TestWithParam<RankMode> {};

struct StepView {
  int ranks_with_data;
  int first;
  float value;
};

// Rank r has r + 1 batches, whose gradients are 6 (r + 1), and shadows the others after that. What it saw of each
// step is the same for a rank that had data and one that had none.
std::vector<StepView> train(GradientSync& sync, int rank) {
  std::vector<StepView> seen;
  const auto look = [&] {
    seen.push_back({sync.ranks_with_data(), sync.first_rank_with_data(), value_of(sync, 0)});
    EXPECT_EQ(value_of(sync, 1), seen.back().value);
  };
  for (int batch = 0; batch <= rank; ++batch) {
    for (const std::size_t index : {0U, 1U}) {
      fill(sync, index, 6.0F * static_cast<float>(rank + 1));
      sync.mark_ready(index);
    }
    sync.finish();
    look();
  }
  while (sync.shadow()) {
    look();
  }
  EXPECT_EQ(sync.ranks_with_data(), 0);
  EXPECT_EQ(sync.first_rank_with_data(), -1);
  return seen;
}

void expect_views(const std::vector<StepView>& seen, const std::vector<float>& values) {
  ASSERT_EQ(seen.size(), values.size());
  for (int step = 0; step < kRanks; ++step) {
    const StepView& view = seen[static_cast<std::size_t>(step)];
    EXPECT_EQ(view.ranks_with_data, kRanks - step);
    EXPECT_EQ(view.first, step);
    EXPECT_FLOAT_EQ(view.value, values[static_cast<std::size_t>(step)]);
  }
}

TEST_P(UnevenData, IsDividedByTheRanksThatHaveAny) {
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    run_with_communicator(kRanks, GetParam(), [=](Communicator& communicator, RankContext& rank) {
      GradientSync sync(communicator, {{.name = "a", .count = 40}, {.name = "b", .count = 40}},
                        {.bucket_caps = {1}, .progress = progress});
      expect_views(train(sync, rank.rank()), {12.0F, 15.0F, 18.0F});
    }).expect_all_ok();
  }
}

TEST_P(UnevenData, IsDividedByAllRanksWhenAskedTo) {
  run_with_communicator(kRanks, GetParam(), [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, {{.name = "a", .count = 40}, {.name = "b", .count = 40}},
                      {.divisor = Divisor::kAllRanks});
    expect_views(train(sync, rank.rank()), {12.0F, 10.0F, 6.0F});
  }).expect_all_ok();
}

TEST_P(UnevenData, FollowsTheFirstRankThatHasAny) {
  run_with_communicator(kRanks, GetParam(), [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, {{.name = "a", .count = 4}, {.name = "b", .count = 4}},
                      {.bucket_caps = {1}});
    if (rank.rank() == 1) {
      sync.mark_ready(0);
      sync.mark_ready(1);
      sync.finish();
    } else {
      EXPECT_TRUE(sync.shadow());
    }
    EXPECT_EQ(sync.generation(), 1U);
    EXPECT_EQ(sync.describe(),
              "bucket  type  gradients       size  first and last to come\n"
              "     0  f32           1       64 B  a\n"
              "     1  f32           1       64 B  b\n");
  }).expect_all_ok();
}

TEST_P(UnevenData, LearnsNothingFromAStepThatNobodyTook) {
  run_with_communicator(kRanks, GetParam(), [](Communicator& communicator, RankContext&) {
    GradientSync sync(communicator, {{.name = "a", .count = 4}, {.name = "b", .count = 4}},
                      {.bucket_caps = {1}});
    EXPECT_FALSE(sync.shadow());
    sync.mark_ready(0);
    sync.mark_ready(1);
    sync.finish();
    EXPECT_EQ(sync.generation(), 1U) << "the order comes from the first step with data";
  }).expect_all_ok();
}

// Rank r has samples (r + 1)^2 / 10 whose mean gradient is 1 / (r + 3).
double samples_of(int rank) {
  return (rank + 1) * (rank + 1) / 10.0;
}
double gradient_of(int rank) {
  return 1.0 / (rank + 3);
}

double mean_over_samples(int first_rank) {
  double weighted = 0;
  double samples = 0;
  for (int rank = first_rank; rank < kRanks; ++rank) {
    weighted += samples_of(rank) * gradient_of(rank);
    samples += samples_of(rank);
  }
  return weighted / samples;
}

TEST_P(UnevenData, WeighsGradientsByTheirSamples) {
  run_with_communicator(kRanks, GetParam(), [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator,
                      {{.name = "narrow", .count = 5},
                       {.name = "wide", .count = 5, .dtype = DType::kF64},
                       {.name = "included", .count = 5}},
                      {.bucket_caps = {1}, .progress = Progress::kInline, .divisor = Divisor::kSamples});
    for (int step = 0; step < 4; ++step) {
      const bool rank_0_has_data = step < 2;
      sync.set_samples(samples_of(rank.rank()));
      if (rank.rank() == 0 && !rank_0_has_data) {
        EXPECT_TRUE(sync.shadow());
      } else {
        const double value = gradient_of(rank.rank());
        fill(sync, 0, static_cast<float>(value));
        sync.mark_ready(0);
        std::fill_n(sync.values<double>(1).begin(), 5, value);
        sync.mark_ready(1);
        fill(sync, 2, static_cast<float>(value));
        sync.include(2);
        sync.finish();
      }
      const double expected = mean_over_samples(rank_0_has_data ? 0 : 1);
      EXPECT_NEAR(value_of(sync, 0), expected, 1e-7);
      EXPECT_NEAR(sync.values<double>(1)[4], expected, 1e-15);
      EXPECT_NEAR(value_of(sync, 2), expected, 1e-7);
      EXPECT_DOUBLE_EQ(sync.mean_samples(), rank_0_has_data ? 1.4 / 3 : 1.3 / 3);
      EXPECT_EQ(sync.samples(), samples_of(rank.rank()));
    }
  }).expect_all_ok();
}

// Integers all the way: the weighted mean has no rounding anywhere, so it must be the exact one.
TEST_P(UnevenData, GivesTheExactMeanOverAllSamples) {
  run_with_communicator(4, GetParam(), [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, {{.name = "a", .count = 9}}, {.divisor = Divisor::kSamples});
    const std::vector<double> samples = {1, 9, 2, 4};  // 16 in all
    const std::vector<float> means = {5, 3, 16, 24};   // 160 in all, weighed
    const auto me = static_cast<std::size_t>(rank.rank());
    sync.set_samples(samples[me]);
    for (int step = 0; step < 3; ++step) {
      fill(sync, 0, means[me]);
      sync.mark_ready(0);
      sync.finish();
      EXPECT_EQ(value_of(sync, 0), 10.0F);
      EXPECT_EQ(sync.mean_samples(), 4.0);
    }
  }).expect_all_ok();
}

INSTANTIATE_TEST_SUITE_P(Modes, UnevenData, ::testing::ValuesIn(kRankModes), rank_mode_name);

}  // namespace
}  // namespace lockstep::testing
