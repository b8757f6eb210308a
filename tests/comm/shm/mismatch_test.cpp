// Ranks that call different things: every rank must say what both sides called. Never a hang, never a wrong sum.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "comm/shm/shm_backend.h"
#include "lockstep/communicator.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
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

// Calls that differ from each other in something that matters. All work on a group of three.
std::vector<Call> calls() {
  const auto floats = [] { return std::vector<float>(12); };
  return {
      all_reduce<float>(12, ReduceOp::kSum, "a", "all_reduce #0 of 12 x f32, sum, 'a'"),
      all_reduce<float>(13, ReduceOp::kSum, "a", "all_reduce #0 of 13 x f32, sum, 'a'"),
      all_reduce<float>(0, ReduceOp::kSum, "a", "all_reduce #0 of 0 x f32, sum, 'a'"),
      all_reduce<float>(90'000, ReduceOp::kSum, "a", "all_reduce #0 of 90000 x f32, sum, 'a'"),
      all_reduce<double>(12, ReduceOp::kSum, "a", "all_reduce #0 of 12 x f64, sum, 'a'"),
      all_reduce<std::int32_t>(12, ReduceOp::kSum, "a", "all_reduce #0 of 12 x i32, sum, 'a'"),
      all_reduce<float>(12, ReduceOp::kAvg, "a", "all_reduce #0 of 12 x f32, avg, 'a'"),
      all_reduce<float>(12, ReduceOp::kMax, "a", "all_reduce #0 of 12 x f32, max, 'a'"),
      all_reduce<float>(12, ReduceOp::kSum, "b", "all_reduce #0 of 12 x f32, sum, 'b'"),
      all_reduce<float>(12, ReduceOp::kSum, "", "all_reduce #0 of 12 x f32, sum"),
      {"barrier #0", [](Communicator& c) { c.barrier(); }},
      {"broadcast #0 of 12 x f32, root 0", [=](Communicator& c) { c.broadcast(floats(), 0); }},
      {"broadcast #0 of 12 x f32, root 2", [=](Communicator& c) { c.broadcast(floats(), 2); }},
      {"reduce #0 of 12 x f32, sum, root 0", [=](Communicator& c) { c.reduce(floats(), ReduceOp::kSum, 0); }},
      {"reduce #0 of 12 x f32, sum, root 1", [=](Communicator& c) { c.reduce(floats(), ReduceOp::kSum, 1); }},
      {"reduce #0 of 12 x f32, min, root 0", [=](Communicator& c) { c.reduce(floats(), ReduceOp::kMin, 0); }},
      {"reduce_scatter #0 of 12 x f32, sum",
       [=](Communicator& c) { c.reduce_scatter(floats(), ReduceOp::kSum); }},
      {"all_gather #0 of 4 x f32", [=](Communicator& c) { c.all_gather(floats()); }},
      {"gather #0 of 4 x f32, root 0",
       [=](Communicator& c) { c.gather(std::vector<float>(4), std::vector<float>(12), 0); }},
      {"scatter #0 of 12 x f32, root 0",
       [=](Communicator& c) { c.scatter(floats(), std::vector<float>(4), 0); }},
      {"all_to_all #0 of 12 x f32", [=](Communicator& c) { c.all_to_all(floats()); }},
      {"barrier #0, 'allocate'", [](Communicator& c) { c.allocate(4096); }},
      {"all_gather #0 of 2 x i32, 'split'", [](Communicator& c) { c.split(0, 0); }},
  };
}

// Ranks 0 and 2 call `usual`, rank 1 calls `odd`. All three must fail, with both texts.
void expect_mismatch(RankMode mode, const Call& usual, const Call& odd) {
  SCOPED_TRACE(usual.text + " against " + odd.text);
  static int count = 0;
  const std::string token = "mismatch " + std::to_string(getpid()) + "." + std::to_string(count++);
  const auto results = run_ranks(3, mode, [&](RankContext& rank) {
    Communicator communicator(join_shm({.token = token, .rank = rank.rank(), .size = 3}, rank.deadline()));
    communicator.set_timeout(20s);
    (rank.rank() == 1 ? odd : usual).run(communicator);
    communicator.barrier();  // one that needed nobody else finds out here
  });
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe() << result.exception_text;
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch) << result.exception_text;
    EXPECT_THAT(result.exception_text, HasSubstr(" called " + usual.text)) << "on rank " << result.rank;
    EXPECT_THAT(result.exception_text, HasSubstr("rank 1 called " + odd.text)) << "on rank " << result.rank;
  }
}

TEST(Mismatch, IsNamedOnEveryRankWithBothSides) {
  const auto all = calls();
  for (std::size_t odd = 1; odd < all.size(); ++odd) {
    expect_mismatch(RankMode::kThreads, all[0], all[odd]);
    expect_mismatch(RankMode::kThreads, all[odd], all[(odd + 7) % all.size()]);
  }
}

TEST(Mismatch, IsNamedBetweenProcesses) {
  const auto all = calls();
  for (std::size_t odd = 1; odd < all.size(); odd += 4) {
    expect_mismatch(RankMode::kProcesses, all[odd], all[0]);
  }
}

TEST(Mismatch, IsFoundWhenTheOrderDiffers) {
  const Call loss_first{"all_reduce #0 of 1 x f32, sum, 'loss'", [](Communicator& c) {
                          std::vector<float> loss(1);
                          std::vector<float> bucket(50'000);
                          Work first = c.start_all_reduce(loss, ReduceOp::kSum, {.label = "loss"});
                          Work second = c.start_all_reduce(bucket, ReduceOp::kSum, {.label = "bucket"});
                          first.wait();
                          second.wait();
                        }};
  const Call bucket_first{"all_reduce #0 of 50000 x f32, sum, 'bucket'", [](Communicator& c) {
                            std::vector<float> loss(1);
                            std::vector<float> bucket(50'000);
                            Work first = c.start_all_reduce(bucket, ReduceOp::kSum, {.label = "bucket"});
                            Work second = c.start_all_reduce(loss, ReduceOp::kSum, {.label = "loss"});
                            first.wait();
                            second.wait();
                          }};
  expect_mismatch(RankMode::kThreads, loss_first, bucket_first);
}

TEST(Mismatch, IsFoundBeforeTheLastRankComes) {
  const std::string token = "early mismatch " + std::to_string(getpid());
  const auto results = run_ranks(3, RankMode::kThreads, [&](RankContext& rank) {
    Communicator communicator(join_shm({.token = token, .rank = rank.rank(), .size = 3}, rank.deadline()));
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
  });
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
    EXPECT_THAT(result.exception_text,
                HasSubstr("rank 0 called all_reduce #0 of 3 x f32, sum; rank 1 called all_reduce "
                          "#0 of 4 x f32, sum"));
  }
}

TEST(Mismatch, ShowsWhichCountsDisagree) {
  const std::string token = "counts " + std::to_string(getpid());
  const auto results = run_ranks(2, RankMode::kThreads, [&](RankContext& rank) {
    Communicator communicator(join_shm({.token = token, .rank = rank.rank(), .size = 2}, rank.deadline()));
    const std::vector<std::size_t> sends = {1, 5};
    const std::vector<std::size_t> expects =
        rank.rank() == 0 ? std::vector<std::size_t>{1, 1} : std::vector<std::size_t>{4, 5};
    communicator.all_to_all_v(std::vector<float>(6), sends, std::vector<float>(expects[0] + expects[1]),
                              expects);
  });
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
    EXPECT_THAT(result.exception_text, HasSubstr("rank 0 sends 5 elements to rank 1, which expects 4"));
  }
}

TEST(Mismatch, IsFoundBetweenSendAndRecv) {
  struct Case {
    std::string text;
    std::function<void(Communicator&)> send;
  };
  const std::vector<Case> cases = {
      {"send #0 of 4 x f32, peer 1, 'x'",
       [](Communicator& c) { c.send(std::vector<float>(4), 1, {.label = "x"}); }},
      {"send #0 of 5 x f64, peer 1, 'x'",
       [](Communicator& c) { c.send(std::vector<double>(5), 1, {.label = "x"}); }},
      {"send #0 of 5 x f32, peer 1, 'y'",
       [](Communicator& c) { c.send(std::vector<float>(5), 1, {.label = "y"}); }},
  };
  int count = 0;
  for (const auto& test : cases) {
    const std::string token = "messages " + std::to_string(getpid()) + "." + std::to_string(count++);
    const auto results = run_ranks(2, RankMode::kThreads, [&](RankContext& rank) {
      Communicator communicator(join_shm({.token = token, .rank = rank.rank(), .size = 2}, rank.deadline()));
      if (rank.rank() == 0) {
        test.send(communicator);
      } else {
        std::vector<float> values(5);
        communicator.recv(values, 0, {.label = "x"});
      }
      communicator.barrier();
    });
    for (const auto& result : results) {
      ASSERT_TRUE(result.error) << result.describe();
      EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
      EXPECT_THAT(result.exception_text,
                  HasSubstr("rank 1 called recv #0 of 5 x f32, peer 0, 'x'; rank 0 called " + test.text));
    }
  }
}

}  // namespace
}  // namespace lockstep::testing
