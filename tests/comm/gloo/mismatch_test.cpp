// Ranks that call different things over gloo: every rank must say what both sides called, in the words of shm.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "comm/gloo/gloo_rank.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct Call {
  std::string text;  // as the error describes it
  std::function<void(Communicator&)> run;
};

template <class T>
Call all_reduce(std::size_t count, ReduceOp op, const std::string& label, const std::string& text) {
  return {text, [=](Communicator& c) {
            std::vector<T> values(count);
            c.all_reduce(values, op, {.label = label});
          }};
}

// Calls that differ from each other in something that matters, on a group of three.
std::vector<Call> calls() {
  const auto floats = [] { return std::vector<float>(12); };
  return {
      all_reduce<float>(12, ReduceOp::kSum, "a", "all_reduce #0 of 12 x f32, sum, 'a'"),
      all_reduce<float>(13, ReduceOp::kSum, "a", "all_reduce #0 of 13 x f32, sum, 'a'"),
      all_reduce<float>(90'000, ReduceOp::kSum, "a", "all_reduce #0 of 90000 x f32, sum, 'a'"),
      all_reduce<double>(12, ReduceOp::kSum, "a", "all_reduce #0 of 12 x f64, sum, 'a'"),
      all_reduce<float>(12, ReduceOp::kAvg, "a", "all_reduce #0 of 12 x f32, avg, 'a'"),
      all_reduce<float>(12, ReduceOp::kSum, "b", "all_reduce #0 of 12 x f32, sum, 'b'"),
      all_reduce<float>(12, ReduceOp::kSum, "", "all_reduce #0 of 12 x f32, sum"),
      {"barrier #0", [](Communicator& c) { c.barrier(); }},
      {"broadcast #0 of 12 x f32, root 0", [=](Communicator& c) { c.broadcast(floats(), 0); }},
      {"broadcast #0 of 12 x f32, root 2", [=](Communicator& c) { c.broadcast(floats(), 2); }},
      {"reduce #0 of 12 x f32, sum, root 1", [=](Communicator& c) { c.reduce(floats(), ReduceOp::kSum, 1); }},
      {"reduce_scatter #0 of 12 x f32, sum",
       [=](Communicator& c) { c.reduce_scatter(floats(), ReduceOp::kSum); }},
      {"all_gather #0 of 4 x f32", [=](Communicator& c) { c.all_gather(floats()); }},
      {"all_to_all #0 of 12 x f32", [=](Communicator& c) { c.all_to_all(floats()); }},
      {"barrier #0, 'allocate'", [](Communicator& c) { c.allocate(4096); }},
  };
}

// Ranks 0 and 2 call `usual`, rank 1 calls `odd`. All three must fail, with both texts.
void expect_mismatch(const Call& usual, const Call& odd) {
  SCOPED_TRACE(usual.text + " against " + odd.text);
  const int port = free_port();
  const auto results = run_ranks(3, RankMode::kProcesses,
                                 [&](RankContext& rank) {
                                   Communicator communicator = join_gloo(rank, port);
                                   (rank.rank() == 1 ? odd : usual).run(communicator);
                                   communicator.barrier();
                                 },
                                 {.timeout = 60s});
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe() << result.exception_text << result.output;
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch) << result.exception_text;
    EXPECT_THAT(result.exception_text, HasSubstr("ranks disagree: rank "));
    EXPECT_THAT(result.exception_text, HasSubstr(" called " + usual.text)) << "on rank " << result.rank;
    EXPECT_THAT(result.exception_text, HasSubstr("rank 1 called " + odd.text)) << "on rank " << result.rank;
  }
}

TEST(MismatchOverGloo, IsNamedOnEveryRankWithBothSides) {
  const auto all = calls();
  for (std::size_t odd = 1; odd < all.size(); ++odd) {
    expect_mismatch(all[odd % 2 == 0 ? 0 : 2], all[odd]);
  }
}

TEST(MismatchOverGloo, IsFoundBeforeTheLastRankComes) {
  const int port = free_port();
  const auto results = run_ranks(3, RankMode::kProcesses,
                                 [&](RankContext& rank) {
                                   Communicator communicator = join_gloo(rank, port);
                                   auto& failed = rank.shared<std::atomic<int>>();
                                   if (rank.rank() == 2) {  // comes only when the other two have failed
                                     rank.wait_until([&] { return failed == 2; });
                                     communicator.barrier();
                                     return;
                                   }
                                   try {
                                     std::vector<float> values(3 + static_cast<std::size_t>(rank.rank()));
                                     communicator.all_reduce(values, ReduceOp::kSum);
                                   } catch (const Error&) {
                                     ++failed;
                                     rank.notify_all();
                                     throw;
                                   }
                                 },
                                 {.timeout = 60s});
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch) << result.exception_text;
    EXPECT_THAT(result.exception_text,
                HasSubstr("rank 0 called all_reduce #0 of 3 x f32, sum; rank 1 called all_reduce "
                          "#0 of 4 x f32, sum"));
  }
}

TEST(MismatchOverGloo, ShowsWhichCountsDisagree) {
  const int port = free_port();
  const auto results =
      run_ranks(2, RankMode::kProcesses,
                [&](RankContext& rank) {
                  Communicator communicator = join_gloo(rank, port);
                  const std::vector<std::size_t> sends = {1, 5};
                  const std::vector<std::size_t> expects =
                      rank.rank() == 0 ? std::vector<std::size_t>{1, 1} : std::vector<std::size_t>{4, 5};
                  communicator.all_to_all_v(std::vector<float>(6), sends,
                                            std::vector<float>(expects[0] + expects[1]), expects);
                },
                {.timeout = 60s});
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
    EXPECT_THAT(result.exception_text, HasSubstr("rank 0 sends 5 elements to rank 1, which expects 4"));
  }
}

TEST(MismatchOverGloo, IsFoundBetweenSendAndRecv) {
  const std::vector<Call> sends = {
      {"send #0 of 4 x f32, peer 1, 'x'",
       [](Communicator& c) { c.send(std::vector<float>(4), 1, {.label = "x"}); }},
      {"send #0 of 5 x f64, peer 1, 'x'",
       [](Communicator& c) { c.send(std::vector<double>(5), 1, {.label = "x"}); }},
      {"send #0 of 5 x f32, peer 1, 'y'",
       [](Communicator& c) { c.send(std::vector<float>(5), 1, {.label = "y"}); }},
  };
  for (const auto& send : sends) {
    const int port = free_port();
    const auto results = run_ranks(2, RankMode::kProcesses,
                                   [&](RankContext& rank) {
                                     Communicator communicator = join_gloo(rank, port);
                                     if (rank.rank() == 0) {
                                       send.run(communicator);
                                     } else {
                                       std::vector<float> values(5);
                                       communicator.recv(values, 0, {.label = "x"});
                                     }
                                     communicator.barrier();
                                   },
                                   {.timeout = 60s});
    for (const auto& result : results) {
      ASSERT_TRUE(result.error) << result.describe();
      EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
      EXPECT_THAT(result.exception_text,
                  HasSubstr("rank 1 called recv #0 of 5 x f32, peer 0, 'x'; rank 0 called " + send.text));
    }
  }
}

}  // namespace
}  // namespace lockstep::testing
