// What the thread sanitizer finds in a forked rank must fail that rank.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

TEST(ThreadSanitizer, FailsARankWithARace) {
  const auto results = run_ranks(2, RankMode::kProcesses, [](RankContext& rank) {
    if (rank.rank() == 1) {
      int value = 0;
      std::thread other([&value] { value = 1; });
      value = 2;
      other.join();
    }
  });
  EXPECT_TRUE(results[0].ok()) << results[0].describe() << results[0].output;
  EXPECT_FALSE(results[1].ok());
  EXPECT_THAT(results[1].output, ::testing::HasSubstr("ThreadSanitizer: data race"));
}

}  // namespace
}  // namespace lockstep::testing
