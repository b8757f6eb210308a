// What happens when a group cannot start all its ranks for want of descriptors.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lockstep/error.h"
#include "support/run_ranks.h"
#include "support/survivor_check.h"

namespace lockstep::testing {
namespace {

TEST(DescriptorLimit, EndsTheRanksThatWereStarted) {
  // In a process of its own, since the limit is for a whole process and cannot be raised again.
  run_ranks(1, RankMode::kProcesses, [](RankContext&) {
    SurvivorCheck survivors;
    const rlimit limit{.rlim_cur = 24, .rlim_max = 24};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    try {
      run_ranks(16, RankMode::kProcesses, [](RankContext& rank) { rank.wait_until([] { return false; }); });
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kSystem);
      EXPECT_THAT(error.message(), ::testing::HasSubstr("Too many open files"));
    }
    survivors.expect_nobody_left();
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
