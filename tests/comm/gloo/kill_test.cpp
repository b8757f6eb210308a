// Ranks that die, abort, leave or stall: the others must say who it was, soon, and must not hang afterwards.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "base/duration_text.h"
#include "comm/gloo/gloo_rank.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct Shared {
  std::atomic<int> joined;
  std::atomic<std::int64_t> killed_at_ns;
  std::atomic<std::int64_t> noticed_at_ns[8];
};

std::int64_t now_ns() {
  return Clock::real().now().time_since_epoch().count();
}

// A bit of everything, for ever: small and large collectives, several in flight, and messages.
void run_traffic(Communicator& communicator) {
  std::vector<float> bucket(400'000);
  std::vector<float> weights(50'000);
  std::vector<float> small(10);
  std::vector<float> letter(100'000);
  std::vector<float> received(100'000);
  const int next = (communicator.rank() + 1) % communicator.size();
  const int previous = (communicator.rank() + communicator.size() - 1) % communicator.size();
  for (;;) {
    Work first = communicator.start_all_reduce(bucket, ReduceOp::kAvg, {.label = "bucket"});
    communicator.all_reduce(small, ReduceOp::kSum, {.label = "loss"});
    communicator.broadcast(weights, 1, {.label = "weights"});
    first.wait();
    Work send = communicator.start_send(letter, next);
    communicator.recv(received, previous);
    send.wait();
  }
}

TEST(AKilledRankOverGloo, IsNamedByEverySurvivor) {
  constexpr int kRanks = 3;
  constexpr int kTrials = 30;
  std::mt19937 random(20261115);
  std::vector<std::int64_t> delays_ns;
  for (int trial = 0; trial < kTrials && !HasFailure(); ++trial) {
    const int port = free_port();
    RankGroup group(kRanks, RankMode::kProcesses,
                    [&](RankContext& rank) {
                      Communicator communicator = join_gloo(rank, port);
                      ++rank.shared<Shared>().joined;
                      rank.notify_all();
                      try {
                        run_traffic(communicator);
                      } catch (const Error&) {
                        rank.shared<Shared>().noticed_at_ns[rank.rank()] = now_ns();
                        throw;
                      }
                    },
                    {.timeout = 60s});
    auto& shared = group.shared<Shared>();
    ASSERT_TRUE(group.wait_until([&] { return shared.joined == kRanks; }));
    group.run_for(std::chrono::microseconds(random() % 40'000));
    const int victim = static_cast<int>(random() % kRanks);
    const pid_t victim_pid = group.pid(victim);
    shared.killed_at_ns = now_ns();
    group.kill(victim);
    const RankResults results = group.join();
    for (const auto& result : results) {
      if (result.rank == victim) {
        EXPECT_EQ(result.outcome, RankOutcome::kKilled);
        continue;
      }
      ASSERT_TRUE(result.error) << result.describe() << "\n" << result.exception_text << result.output;
      ASSERT_EQ(result.error->code(), ErrorCode::kPeerLost) << result.exception_text;
      EXPECT_EQ(result.error->peer(), victim) << result.exception_text;
      EXPECT_EQ(result.error->rank(), result.rank);
      EXPECT_FALSE(result.error->operation().empty());
      EXPECT_THAT(result.exception_text, HasSubstr("rank " + std::to_string(victim) + " (process " +
                                                   std::to_string(victim_pid) + " on "));
      EXPECT_THAT(result.exception_text, HasSubstr(") has died"));
      delays_ns.push_back(shared.noticed_at_ns[result.rank] - shared.killed_at_ns);
    }
  }
  ASSERT_FALSE(delays_ns.empty());
  std::sort(delays_ns.begin(), delays_ns.end());
  std::printf("%zu survivors noticed: median %s, max %s\n", delays_ns.size(),
              duration_text(std::chrono::nanoseconds(delays_ns[delays_ns.size() / 2])).c_str(),
              duration_text(std::chrono::nanoseconds(delays_ns.back())).c_str());
}

// Ranks 0 and 2 wait in a collective; rank 1 does `leave` instead.
RankResults run_with_a_deserter(std::size_t count, const std::function<void(Communicator&)>& leave) {
  const int port = free_port();
  return run_ranks(3, RankMode::kProcesses,
                   [&](RankContext& rank) {
                     Communicator communicator = join_gloo(rank, port);
                     communicator.barrier();
                     rank.barrier();  // all are through with that
                     if (rank.rank() == 1) {
                       leave(communicator);
                       return;
                     }
                     std::vector<float> gradients(count);
                     try {
                       communicator.all_reduce(gradients, ReduceOp::kSum, {.label = "bucket 7"});
                       ADD_FAILURE() << "an all_reduce without rank 1 went through";
                     } catch (const Error&) {
                       // Whatever is called next is refused with the first error.
                       try {
                         communicator.barrier();
                         ADD_FAILURE() << "a failed communicator took another call";
                       } catch (const Error& second) {
                         EXPECT_THAT(second.what(), HasSubstr("has failed before and takes no more calls"));
                         EXPECT_THAT(second.what(), HasSubstr("caused by: all_reduce #1 'bucket 7' on rank"));
                       }
                       throw;
                     }
                   },
                   {.timeout = 60s});
}

void expect_survivors(const RankResults& results, ErrorCode code, const std::string& text) {
  for (const int survivor : {0, 2}) {
    const RankResult& result = results[survivor];
    ASSERT_TRUE(result.error) << result.describe() << result.exception_text << result.output;
    EXPECT_EQ(result.error->code(), code) << result.exception_text;
    EXPECT_EQ(result.error->peer(), 1) << result.exception_text;
    EXPECT_EQ(result.error->operation(), "all_reduce");
    EXPECT_EQ(result.error->label(), "bucket 7");
    EXPECT_EQ(result.error->sequence(), 1U);
    EXPECT_EQ(result.error->rank(), survivor);
    EXPECT_TRUE(result.error->elapsed());
    EXPECT_THAT(result.exception_text, HasSubstr(text));
    EXPECT_TRUE(result.failures.empty()) << results.describe_failures();
  }
}

// With 10 elements the data comes with the announcement, with 100,000 it would go through Gloo.
class ARankOverGloo : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ARankOverGloo, IsNamedWhenItExits) {
  const auto results = run_with_a_deserter(GetParam(), [](Communicator&) { _exit(3); });
  expect_survivors(results, ErrorCode::kPeerLost, ") has died");
}

TEST_P(ARankOverGloo, IsNamedWhenItCrashes) {
  const auto results = run_with_a_deserter(GetParam(), [](Communicator&) { std::abort(); });
  expect_survivors(results, ErrorCode::kPeerLost, ") has died");
}

TEST_P(ARankOverGloo, IsNamedWhenItLeaves) {
  const auto results = run_with_a_deserter(GetParam(), [](Communicator& communicator) {
    [[maybe_unused]] const Communicator gone(std::move(communicator));
  });
  expect_survivors(results, ErrorCode::kPeerLost, "rank 1 has left the group");
}

TEST_P(ARankOverGloo, IsNamedWithItsReasonWhenItAborts) {
  const auto results = run_with_a_deserter(GetParam(), [](Communicator& communicator) {
    communicator.abort("the loss is not a number");
    EXPECT_THROW(communicator.barrier(), Error);
  });
  expect_survivors(results, ErrorCode::kAborted, "rank 1 called the group off: the loss is not a number");
}

INSTANTIATE_TEST_SUITE_P(Elements, ARankOverGloo, ::testing::Values(10, 100'000),
                         [](const auto& test) { return std::to_string(test.param); });

TEST(AStalledRankOverGloo, IsNamedAtTheDeadline) {
  const int port = free_port();
  const auto results = run_ranks(3, RankMode::kProcesses,
                                 [&](RankContext& rank) {
                                   Communicator communicator = join_gloo(rank, port);
                                   std::vector<float> gradients(100'000);
                                   communicator.all_reduce(gradients, ReduceOp::kSum, {.label = "bucket 6"});
                                   auto& done = rank.shared<std::atomic<int>>();
                                   if (rank.rank() == 1) {
                                     rank.wait_until([&] { return done == 2; });
                                     return;
                                   }
                                   try {
                                     communicator.all_reduce(gradients, ReduceOp::kSum,
                                                             {.label = "bucket 7", .timeout = 500ms});
                                   } catch (const Error&) {
                                     ++done;
                                     rank.notify_all();
                                     throw;
                                   }
                                 },
                                 {.timeout = 60s});
  expect_survivors(results, ErrorCode::kTimeout, " for rank 1; at that time");
  EXPECT_THAT(results[0].exception_text,
              HasSubstr("rank 1 last called all_reduce #0 of 100000 x f32, sum, 'bucket 6', "));
  EXPECT_THAT(results[0].exception_text,
              HasSubstr("rank 2 last called all_reduce #1 of 100000 x f32, sum, 'bucket 7', "));
}

// Rank 1 calls the collective and stops in the middle of it: Gloo has begun, and its buffers must come back.
TEST(AStalledRankOverGloo, DoesNotKeepTheMemoryOfTheOthers) {
  const int port = free_port();
  RankGroup group(2, RankMode::kProcesses,
                  [&](RankContext& rank) {
                    Communicator communicator = join_gloo(rank, port);
                    auto& shared = rank.shared<Shared>();
                    communicator.barrier();
                    std::vector<float> gradients(8 << 20, 1.0F);
                    Work work = communicator.start_all_reduce(gradients, ReduceOp::kSum,
                                                              {.label = "bucket 7", .timeout = 1s});
                    ++shared.joined;
                    rank.notify_all();
                    if (rank.rank() == 1) {
                      rank.wait_until([&] { return shared.joined == 3; });  // and drives nothing
                      throw Error(ErrorCode::kInternal, "on purpose");
                    }
                    try {
                      work.wait();
                    } catch (const Error&) {
                      std::fill(gradients.begin(), gradients.end(), 5.0F);
                      ++shared.joined;
                      rank.notify_all();
                      EXPECT_EQ(std::count(gradients.begin(), gradients.end(), 5.0F), 8 << 20);
                      throw;
                    }
                  },
                  {.timeout = 60s});
  const RankResults results = group.join();
  ASSERT_TRUE(results[0].error) << results.describe_failures();
  EXPECT_EQ(results[0].error->code(), ErrorCode::kTimeout);
  EXPECT_EQ(results[0].error->peer(), 1);
  EXPECT_THAT(results[0].exception_text, HasSubstr("rank 0 waited 1.0"));
  EXPECT_TRUE(results[0].failures.empty()) << results.describe_failures();
}

TEST(AFinishedRankOverGloo, MayLeaveWhileOthersAreStillReading) {
  for (int trial = 0; trial < 20; ++trial) {
    const int port = free_port();
    run_ranks(4, RankMode::kProcesses,
              [&](RankContext& rank) {
                Communicator communicator = join_gloo(rank, port);
                std::vector<float> values(trial % 2 == 0 ? 30'000 : 30, 1.0F);
                if (rank.rank() == 3) {
                  communicator.send(values, 0, {.label = "farewell"});
                }
                communicator.all_reduce(values, ReduceOp::kSum);
                EXPECT_EQ(values.back(), 4.0F);
                if (rank.rank() == 0) {  // a message is still there when its sender is gone
                  communicator.recv(values, 3, {.label = "farewell"});
                  EXPECT_EQ(values.back(), 1.0F);
                }
              },
              {.timeout = 60s})
        .expect_all_ok();
  }
}

TEST(AMessageOverGloo, FailsWhenItsSenderLeaves) {
  const int port = free_port();
  const auto results = run_ranks(2, RankMode::kProcesses,
                                 [&](RankContext& rank) {
                                   Communicator communicator = join_gloo(rank, port);
                                   communicator.barrier();
                                   if (rank.rank() == 0) {
                                     std::vector<float> values(5);
                                     communicator.recv(values, 1, {.label = "never"});
                                   }
                                 },
                                 {.timeout = 60s});
  ASSERT_TRUE(results[0].error) << results.describe_failures();
  EXPECT_EQ(results[0].error->code(), ErrorCode::kPeerLost);
  EXPECT_EQ(results[0].error->peer(), 1);
  EXPECT_THAT(results[0].exception_text, HasSubstr("recv #0 'never' on rank 0 with peer 1 failed"));
}

}  // namespace
}  // namespace lockstep::testing
