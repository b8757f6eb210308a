#include "checkpoint/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace lockstep::checkpoint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<SavedStep> saved(const std::vector<std::int64_t>& steps) {
  std::vector<SavedStep> result;
  for (const std::int64_t step : steps) {
    result.push_back({.step = step});
  }
  return result;
}

TEST(Retention, KeepsTheLastByNumber) {
  EXPECT_THAT(steps_to_remove(saved({10, 9, 100, 99, 2}), {.keep_last = 2}), ElementsAre(2, 9, 10));
  EXPECT_THAT(steps_to_remove(saved({1, 2}), {.keep_last = 2}), IsEmpty());
  EXPECT_THAT(steps_to_remove(saved({1, 2}), {.keep_last = 5}), IsEmpty());
  EXPECT_THAT(steps_to_remove({}, {.keep_last = 1}), IsEmpty());
}

TEST(Retention, AlwaysKeepsTheNewest) {
  EXPECT_THAT(steps_to_remove(saved({1, 3, 2}), {.keep_last = 0}), ElementsAre(1, 2));
}

TEST(Retention, KeepsTheMultiples) {
  EXPECT_THAT(steps_to_remove(saved({0, 5, 10, 15, 20, 25}), {.keep_last = 1, .keep_every = 10}),
              ElementsAre(5, 15));
}

TEST(Retention, KeepsTheBest) {
  const std::vector<SavedStep> steps = {{1, 0.5}, {2, 0.1}, {3, {}}, {4, 0.1}, {5, 0.9}, {6, {}}, {7, 0.3}};
  EXPECT_THAT(steps_to_remove(steps, {.keep_last = 1, .keep_best = Better::kLower}),
              ElementsAre(1, 2, 3, 5, 6));
  EXPECT_THAT(steps_to_remove(steps, {.keep_last = 1, .keep_best = Better::kHigher}),
              ElementsAre(1, 2, 3, 4, 6));
  EXPECT_THAT(steps_to_remove(saved({1, 2}), {.keep_last = 1, .keep_best = Better::kLower}), ElementsAre(1))
      << "without metrics there is no best one";
}

TEST(Retention, KeepsWhatAnyRuleWants) {
  const std::vector<SavedStep> steps = {{10, 1.0}, {20, 0.0}, {25, 2.0}, {30, 3.0}, {35, 3.0}, {40, 3.0}};
  EXPECT_THAT(steps_to_remove(steps, {.keep_last = 2, .keep_best = Better::kLower, .keep_every = 30}),
              ElementsAre(10, 25));
}

}  // namespace
}  // namespace lockstep::checkpoint
