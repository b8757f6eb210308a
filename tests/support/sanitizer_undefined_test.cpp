// What the undefined-behaviour sanitizer finds in a forked rank must fail that rank.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

TEST(UndefinedBehaviourSanitizer, FailsARankWhoseNumbersOverflow) {
  const auto results = run_ranks(2, RankMode::kProcesses, [](RankContext& rank) {
    volatile int sum = std::numeric_limits<int>::max();
    sum = sum + rank.rank();
    return std::to_string(sum);
  });
  EXPECT_TRUE(results[0].ok()) << results[0].describe() << results[0].output;
  EXPECT_FALSE(results[1].ok());
  EXPECT_THAT(results[1].output, ::testing::HasSubstr("runtime error: signed integer overflow"));
}

}  // namespace
}  // namespace lockstep::testing
