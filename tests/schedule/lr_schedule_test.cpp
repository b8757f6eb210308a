#include "lockstep/lr_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>

#include "lockstep/config.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr std::int64_t kTotal = 1000;

LrOptions shaped(LrShape shape) {
  return {.peak = 2, .shape = shape, .warmup_steps = 100, .final_ratio = 0.25};
}

// Compares every step behind the warm-up with `expected` of t in [0, 1].
void expect_closed_form(const LrOptions& options, const std::function<double(double t)>& expected) {
  for (std::int64_t step = options.warmup_steps; step < kTotal + 10; ++step) {
    const double t = std::min(1.0, static_cast<double>(step - options.warmup_steps) /
                                       static_cast<double>(kTotal - options.warmup_steps));
    ASSERT_NEAR(learning_rate(options, step, kTotal), expected(t), 1e-12) << "step " << step;
  }
}

TEST(LearningRate, GrowsToItsPeakFromTheFirstStepOn) {
  const LrOptions options = shaped(LrShape::kCosine);
  EXPECT_DOUBLE_EQ(learning_rate(options, 0, kTotal), 0.02);
  EXPECT_DOUBLE_EQ(learning_rate(options, 49, kTotal), 1);
  EXPECT_DOUBLE_EQ(learning_rate(options, 99, kTotal), 2);
  EXPECT_DOUBLE_EQ(learning_rate(options, 100, kTotal), 2);
}

TEST(LearningRate, StaysWhenItIsConstant) {
  expect_closed_form(shaped(LrShape::kConstant), [](double) { return 2.0; });
}

TEST(LearningRate, FallsInALine) {
  expect_closed_form(shaped(LrShape::kLinear), [](double t) { return 2 - 1.5 * t; });
}

TEST(LearningRate, FallsLikeACosine) {
  expect_closed_form(shaped(LrShape::kCosine),
                     [](double t) { return 0.5 + 0.75 * (1 + std::cos(std::numbers::pi * t)); });
}

TEST(LearningRate, FallsLikeAPolynomial) {
  LrOptions options = shaped(LrShape::kPolynomial);
  options.power = 3;
  expect_closed_form(options, [](double t) { return 0.5 + 1.5 * std::pow(1 - t, 3); });
}

TEST(LearningRate, FallsAtMilestones) {
  LrOptions options = shaped(LrShape::kStep);
  options.milestones = {300, 600};
  options.gamma = 0.5;
  EXPECT_DOUBLE_EQ(learning_rate(options, 299, kTotal), 2);
  EXPECT_DOUBLE_EQ(learning_rate(options, 300, kTotal), 1);
  EXPECT_DOUBLE_EQ(learning_rate(options, 599, kTotal), 1);
  EXPECT_DOUBLE_EQ(learning_rate(options, 600, kTotal), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(options, 5000, kTotal), 0.5);
}

TEST(LearningRate, IsStableAndDecaysAtTheEnd) {
  LrOptions options = shaped(LrShape::kWarmupStableDecay);
  options.decay_steps = 200;
  EXPECT_DOUBLE_EQ(learning_rate(options, 100, kTotal), 2);
  EXPECT_DOUBLE_EQ(learning_rate(options, 800, kTotal), 2);
  EXPECT_DOUBLE_EQ(learning_rate(options, 900, kTotal), 1.25);
  EXPECT_DOUBLE_EQ(learning_rate(options, 1000, kTotal), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(options, 2000, kTotal), 0.5);
}

TEST(LearningRate, IsFiniteInRunsOfAnyLength) {
  for (const LrShape shape : {LrShape::kConstant, LrShape::kLinear, LrShape::kCosine, LrShape::kPolynomial,
                              LrShape::kStep, LrShape::kWarmupStableDecay}) {
    for (const std::int64_t total :
         {std::int64_t{0}, std::int64_t{1}, std::numeric_limits<std::int64_t>::max()}) {
      const LrOptions options{.peak = 1, .shape = shape};
      EXPECT_TRUE(std::isfinite(learning_rate(options, 0, total)));
      EXPECT_TRUE(std::isfinite(learning_rate(options, 1, total)));
    }
  }
}

std::string problem_of(const LrOptions& options, std::int64_t total_steps) {
  try {
    options.check(total_steps);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidConfig);
    return error.message();
  }
}

TEST(LearningRate, IsCheckedAgainstTheLengthOfTheRun) {
  EXPECT_EQ(problem_of({.warmup_steps = 10}, 10), "");
  EXPECT_EQ(problem_of({.warmup_steps = 11}, 10), "a warm-up of 11 steps does not fit into a run of 10");
  EXPECT_EQ(problem_of({.shape = LrShape::kWarmupStableDecay, .warmup_steps = 5, .decay_steps = 6}, 10),
            "a warm-up of 5 steps and a decay of 6 do not fit into a run of 10");
  EXPECT_EQ(problem_of({.milestones = {5, 3}}, 10),
            "the milestones of the learning rate are not in ascending order");
}

TEST(LearningRate, ComesFromTheCommandLine) {
  LrOptions options;
  const auto loaded =
      config::load(options, {"--shape", "wsd", "--peak", "0.5", "--decay-steps", "20", "--milestones", "1,2"},
                   {.name = "train"}, {});
  EXPECT_THAT(loaded.problems, testing::IsEmpty());
  EXPECT_EQ(options.shape, LrShape::kWarmupStableDecay);
  EXPECT_EQ(options.peak, 0.5);
  EXPECT_EQ(options.decay_steps, 20);
  EXPECT_THAT(options.milestones, testing::ElementsAre(1, 2));
}

}  // namespace
}  // namespace lockstep
