#include "cli/run/core_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "cli/run/example_machine.h"

namespace lockstep::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CoreShares, GiveNeighboursToTheSameRank) {
  const CoreShares shares = share_cores(plain_cores({0, 1, 2, 3, 8, 9}), Binding::kCore, 3, std::nullopt);
  EXPECT_EQ(shares.threads, 2);
  EXPECT_THAT(shares.of_rank, ElementsAre(std::vector{0, 1}, std::vector{2, 3}, std::vector{8, 9}));
}

TEST(CoreShares, LeaveOverWhatCannotBeShared) {
  const CoreShares shares = share_cores(plain_cores({0, 1, 2, 3, 4}), Binding::kCore, 2, std::nullopt);
  EXPECT_EQ(shares.threads, 2);
  EXPECT_THAT(shares.of_rank, ElementsAre(std::vector{0, 1}, std::vector{2, 3}));
}

TEST(CoreShares, AreOfTheSizeThatIsAskedFor) {
  const CoreShares shares = share_cores(plain_cores({4, 5, 6, 7}), Binding::kCore, 2, 1);
  EXPECT_EQ(shares.threads, 1);
  EXPECT_THAT(shares.of_rank, ElementsAre(std::vector{4}, std::vector{5}));
}

TEST(CoreShares, AreNoneWithMoreRanksThanHardwareThreads) {
  const CoreShares shares = share_cores(plain_cores({0, 1}), Binding::kCore, 3, std::nullopt);
  EXPECT_EQ(shares.threads, 1);
  EXPECT_THAT(shares.of_rank, IsEmpty());
}

TEST(CoreShares, AreNoneWithMoreThreadsThanCores) {
  const CoreShares shares = share_cores(plain_cores({0, 1}), Binding::kCore, 1 << 20, 4096);
  EXPECT_EQ(shares.threads, 4096);
  EXPECT_THAT(shares.of_rank, IsEmpty());
}

TEST(CoreShares, AreWholeCoresWithTheirHardwareThreads) {
  const Topology topology = hyperthreaded(1, 4);
  EXPECT_EQ(count_places(topology, Binding::kCore, 1), 4);
  const CoreShares shares = share_cores(topology, Binding::kCore, 4, std::nullopt);
  EXPECT_EQ(shares.threads, 1);
  EXPECT_THAT(shares.of_rank,
              ElementsAre(std::vector{0, 4}, std::vector{1, 5}, std::vector{2, 6}, std::vector{3, 7}));
}

TEST(CoreShares, AreHardwareThreadsIfAsked) {
  const Topology topology = hyperthreaded(1, 2);
  EXPECT_EQ(count_places(topology, Binding::kThread, 1), 4);
  EXPECT_THAT(share_cores(topology, Binding::kThread, 4, std::nullopt).of_rank,
              ElementsAre(std::vector{0}, std::vector{2}, std::vector{1}, std::vector{3}));
}

TEST(CoreShares, AreHardwareThreadsWithMoreRanksThanCores) {
  const CoreShares shares = share_cores(hyperthreaded(1, 2), Binding::kCore, 3, std::nullopt);
  EXPECT_EQ(shares.threads, 1);
  EXPECT_THAT(shares.of_rank, ElementsAre(std::vector{0}, std::vector{2}, std::vector{1}));
}

TEST(CoreShares, DoNotSpanCachesWhereOneHasRoom) {
  // Two of the three cores of each cache; the third stays free.
  const CoreShares shares = share_cores(hyperthreaded(2, 3), Binding::kCore, 2, 2);
  EXPECT_THAT(shares.of_rank, ElementsAre(std::vector{0, 1, 6, 7}, std::vector{3, 4, 9, 10}));
}

TEST(CoreShares, SpanCachesWhereTheyMust) {
  const CoreShares shares = share_cores(hyperthreaded(2, 3), Binding::kCore, 3, 2);
  EXPECT_THAT(shares.of_rank,
              ElementsAre(std::vector{0, 1, 6, 7}, std::vector{2, 3, 8, 9}, std::vector{4, 5, 10, 11}));
}

TEST(CoreShares, OfNodesAreSpreadOverThem) {
  const CoreShares shares = share_cores(hyperthreaded(4, 1), Binding::kNuma, 4, std::nullopt);
  EXPECT_EQ(shares.threads, 1);
  EXPECT_THAT(shares.of_rank, ElementsAre(std::vector{0, 1, 4, 5}, std::vector{0, 1, 4, 5},
                                          std::vector{2, 3, 6, 7}, std::vector{2, 3, 6, 7}));
}

}  // namespace
}  // namespace lockstep::run
