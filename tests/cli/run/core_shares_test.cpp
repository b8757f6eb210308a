#include "cli/run/core_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <optional>
#include <vector>

namespace lockstep::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CoreShares, GiveNeighboursToTheSameRank) {
  const CoreShares shares = share_cores({0, 1, 2, 3, 8, 9}, 3, std::nullopt);
  EXPECT_EQ(shares.threads, 2);
  EXPECT_THAT(shares.of_rank, ElementsAre(std::vector{0, 1}, std::vector{2, 3}, std::vector{8, 9}));
}

TEST(CoreShares, LeaveOverWhatCannotBeShared) {
  const CoreShares shares = share_cores({0, 1, 2, 3, 4}, 2, std::nullopt);
  EXPECT_EQ(shares.threads, 2);
  EXPECT_THAT(shares.of_rank, ElementsAre(std::vector{0, 1}, std::vector{2, 3}));
}

TEST(CoreShares, AreOfTheSizeThatIsAskedFor) {
  const CoreShares shares = share_cores({4, 5, 6, 7}, 2, 1);
  EXPECT_EQ(shares.threads, 1);
  EXPECT_THAT(shares.of_rank, ElementsAre(std::vector{4}, std::vector{5}));
}

TEST(CoreShares, AreNoneWithMoreRanksThanCores) {
  const CoreShares shares = share_cores({0, 1}, 3, std::nullopt);
  EXPECT_EQ(shares.threads, 1);
  EXPECT_THAT(shares.of_rank, IsEmpty());
}

TEST(CoreShares, AreNoneWithMoreThreadsThanCores) {
  const CoreShares shares = share_cores({0, 1}, 1 << 20, 4096);  // more than an int can count
  EXPECT_EQ(shares.threads, 4096);
  EXPECT_THAT(shares.of_rank, IsEmpty());
}

TEST(AvailableCores, AreThoseThisProcessIsBoundTo) {
  const std::vector<int> before = available_cores();
  ASSERT_FALSE(before.empty());
  cpu_set_t old_set;
  ASSERT_EQ(sched_getaffinity(0, sizeof old_set, &old_set), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(before.back()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_THAT(available_cores(), ElementsAre(before.back()));
  ASSERT_EQ(sched_setaffinity(0, sizeof old_set, &old_set), 0);
}

}  // namespace
}  // namespace lockstep::run
