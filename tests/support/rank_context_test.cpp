#include "support/rank_context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <string>

#include "lockstep/error.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

class RankContexts : public ::testing::TestWithParam<RankMode> {};
INSTANTIATE_TEST_SUITE_P(Modes, RankContexts, ::testing::ValuesIn(kRankModes), rank_mode_name);

TEST_P(RankContexts, KnowTheirRankAndTheSizeOfTheGroup) {
  run_ranks(3, GetParam(), [](RankContext& rank) {
    EXPECT_GE(rank.rank(), 0);
    EXPECT_LT(rank.rank(), 3);
    EXPECT_EQ(rank.size(), 3);
    EXPECT_FALSE(rank.deadline().expired());
    EXPECT_FALSE(rank.stop_token().stop_requested());
  }).expect_all_ok();
}

TEST_P(RankContexts, ShareZeroedMemory) {
  const auto results = run_ranks(
      4, GetParam(),
      [](RankContext& rank) {
        const auto bytes = rank.shared_bytes();
        EXPECT_EQ(bytes.size(), 10'000U);
        EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; }));
        rank.barrier();
        bytes[9'996 + static_cast<std::size_t>(rank.rank())] = static_cast<std::byte>('a' + rank.rank());
        rank.barrier();
        return std::string(reinterpret_cast<const char*>(&bytes[9'996]), 4);
      },
      {.shared_bytes = 10'000});
  results.expect_all_ok();
  for (const RankResult& result : results) {
    EXPECT_EQ(result.value, "abcd");
  }
}

TEST_P(RankContexts, MeetAtTheBarrierAgainAndAgain) {
  constexpr int kRounds = 200;
  for (const int size : {1, 2, 5}) {
    run_ranks(size, GetParam(), [size](RankContext& rank) {
      auto& arrivals = rank.shared<std::atomic<int>>();
      for (int round = 1; round <= kRounds; ++round) {
        arrivals.fetch_add(1);
        rank.barrier();
        ASSERT_EQ(arrivals.load(), round * size);
        rank.barrier();
      }
    }).expect_all_ok();
  }
}

TEST_P(RankContexts, DoNotMissARankThatEndsRightAfterTheBarrier) {
  for (int round = 0; round < 25; ++round) {
    run_ranks(6, GetParam(), [](RankContext& rank) { rank.barrier(); }).expect_all_ok();
  }
}

TEST_P(RankContexts, DoNotWaitAtTheBarrierForARankThatHasEnded) {
  const auto results = run_ranks(3, GetParam(), [](RankContext& rank) {
    if (rank.rank() != 1) {
      rank.barrier();
    }
  });
  EXPECT_TRUE(results[1].ok());
  EXPECT_EQ(results.end_order().front(), 1);
  EXPECT_EQ(results[0].exception_text, "barrier on rank 0 with peer 1 failed: peer lost: it has ended");
  EXPECT_EQ(results[2].exception_text, "barrier on rank 2 with peer 1 failed: peer lost: it has ended");
}

TEST_P(RankContexts, WaitUntilAnotherRankHasDoneItsPart) {
  run_ranks(4, GetParam(), [](RankContext& rank) {
    auto& turn = rank.shared<std::atomic<int>>();
    rank.wait_until([&] { return turn.load() == rank.rank(); });
    turn.fetch_add(1);
    rank.notify_all();
  }).expect_all_ok();
}

TEST(RankContextOfAProcess, DoesNotWaitAtTheBarrierForARankThatWasKilled) {
  const auto results = run_ranks(2, RankMode::kProcesses, [](RankContext& rank) {
    if (rank.rank() == 1) {
      raise(SIGKILL);
    }
    rank.barrier();
  });
  EXPECT_EQ(results[0].exception_text, "barrier on rank 0 with peer 1 failed: peer lost: it has ended");
  EXPECT_EQ(results.first_failure(), &results[1]);
}

}  // namespace
}  // namespace lockstep::testing
