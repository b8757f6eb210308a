// What the address sanitizer finds in a forked rank must fail that rank.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

TEST(AddressSanitizer, FailsARankThatLeaks) {
  const auto results = run_ranks(2, RankMode::kProcesses, [](RankContext& rank) {
    if (rank.rank() == 1) {
      for (int i = 0; i < 10; ++i) {
        new std::vector<int>(1000);
      }
    }
  });
  EXPECT_TRUE(results[0].ok()) << results[0].describe() << results[0].output;
  EXPECT_EQ(results[1].outcome, RankOutcome::kExited);
  EXPECT_THAT(results[1].output, HasSubstr("LeakSanitizer: detected memory leaks"));
}

TEST(AddressSanitizer, FailsARankThatReadsOutOfBounds) {
  const auto results = run_ranks(1, RankMode::kProcesses, [](RankContext& rank) {
    const std::vector<int> one(1);
    volatile const int* data = one.data();
    return std::to_string(data[rank.size()]);
  });
  EXPECT_FALSE(results[0].ok());
  EXPECT_THAT(results[0].output, HasSubstr("heap-buffer-overflow"));
}

}  // namespace
}  // namespace lockstep::testing
