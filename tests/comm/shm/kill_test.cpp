// Ranks that die, abort, leave or stall: the others must say who it was, soon, and nothing may be left behind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/duration_text.h"
#include "base/temp_dir.h"
#include "comm/shm/shm_backend.h"
#include "lockstep/communicator.h"
#include "support/run_ranks.h"
#include "support/scoped_variable.h"

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

std::string fault_token() {
  static int count = 0;
  return "fault " + std::to_string(getpid()) + "." + std::to_string(count++);
}

Communicator join(RankContext& rank, const std::string& token) {
  return Communicator(
      join_shm({.token = token, .rank = rank.rank(), .size = rank.size(), .staging_bytes = 16 << 10},
               rank.deadline()));
}

// A bit of everything, for ever: inline, direct and staged collectives and messages.
void run_traffic(Communicator& communicator) {
  SymmetricMemory symmetric = communicator.allocate(200'000 * sizeof(float));
  std::vector<float> ordinary(50'000);
  std::vector<float> small(10);
  const int next = (communicator.rank() + 1) % communicator.size();
  const int previous = (communicator.rank() + communicator.size() - 1) % communicator.size();
  for (;;) {
    Work bucket = communicator.start_all_reduce(symmetric.as<float>(), ReduceOp::kAvg, {.label = "bucket"});
    communicator.all_reduce(small, ReduceOp::kSum, {.label = "loss"});
    communicator.broadcast(ordinary, 1, {.label = "weights"});
    bucket.wait();
    Work send = communicator.start_send(small, next);
    communicator.recv(small, previous);
    send.wait();
  }
}

// Shared memory with a name, which would outlive us.
std::set<std::string> named_memory() {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().find("lockstep") != std::string::npos) {
      files.insert(entry.path().string());
    }
  }
  return files;
}

// Sanitizers slow every trial down, and races show in fewer of them.
#if defined(LOCKSTEP_SANITIZED)
constexpr int kTrials = 100;
#else
constexpr int kTrials = 500;
#endif

TEST(KilledRank, IsNamedByEverySurvivor) {
  constexpr int kRanks = 4;
  const TempDir temporary;  // others have theirs in the usual place meanwhile
  const ScopedVariable its_place("TMPDIR", temporary.path().string());
  const std::set<std::string> memory_before = named_memory();
  std::mt19937 random(20261115);
  std::vector<std::int64_t> delays_ns;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::string token = fault_token();
    RankGroup group(kRanks, RankMode::kProcesses, [&](RankContext& rank) {
      Communicator communicator = join(rank, token);
      ++rank.shared<Shared>().joined;
      rank.notify_all();
      try {
        run_traffic(communicator);
      } catch (const Error&) {
        rank.shared<Shared>().noticed_at_ns[rank.rank()] = now_ns();
        throw;
      }
    });
    auto& shared = group.shared<Shared>();
    ASSERT_TRUE(group.wait_until([&] { return shared.joined == kRanks; }));
    group.run_for(std::chrono::microseconds(random() % 8000));
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
      ASSERT_TRUE(result.error) << result.describe() << "\n" << result.exception_text;
      ASSERT_EQ(result.error->code(), ErrorCode::kPeerLost) << result.exception_text;
      EXPECT_EQ(result.error->peer(), victim) << result.exception_text;
      EXPECT_EQ(result.error->rank(), result.rank);
      EXPECT_FALSE(result.error->operation().empty());
      EXPECT_THAT(result.exception_text, HasSubstr("rank " + std::to_string(victim) + " (process " +
                                                   std::to_string(victim_pid) + ") has died"));
      delays_ns.push_back(shared.noticed_at_ns[result.rank] - shared.killed_at_ns);
    }
    if (HasFailure()) {
      break;
    }
  }
  std::sort(delays_ns.begin(), delays_ns.end());
  const auto quantile = [&](double q) {
    return duration_text(std::chrono::nanoseconds(
        delays_ns[static_cast<std::size_t>(q * static_cast<double>(delays_ns.size() - 1))]));
  };
  std::printf("%zu survivors noticed: median %s, p99 %s, max %s\n", delays_ns.size(), quantile(0.5).c_str(),
              quantile(0.99).c_str(), quantile(1.0).c_str());
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
  // Somebody else's may have gone meanwhile; none may have come.
  EXPECT_THAT(memory_before, ::testing::IsSupersetOf(named_memory()));
}

// Ranks 0 and 2 wait in a collective; rank 1 does `leave` instead.
RankResults run_with_a_deserter(RankMode mode, const std::function<void(Communicator&)>& leave,
                                std::chrono::nanoseconds timeout = 20s) {
  const std::string token = fault_token();
  return run_ranks(3, mode, [&](RankContext& rank) {
    Communicator communicator = join(rank, token);
    communicator.set_timeout(timeout);
    communicator.barrier();
    if (rank.rank() == 1) {
      leave(communicator);
      return;
    }
    std::vector<float> gradients(100'000);
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
  });
}

void expect_survivors(const RankResults& results, ErrorCode code, const std::string& text) {
  for (const int survivor : {0, 2}) {
    const RankResult& result = results[survivor];
    ASSERT_TRUE(result.error) << result.describe() << result.exception_text;
    EXPECT_EQ(result.error->code(), code) << result.exception_text;
    EXPECT_EQ(result.error->peer(), 1) << result.exception_text;
    EXPECT_EQ(result.error->operation(), "all_reduce");
    EXPECT_EQ(result.error->label(), "bucket 7");
    EXPECT_EQ(result.error->sequence(), 1U);
    EXPECT_THAT(result.exception_text, HasSubstr(text));
    EXPECT_TRUE(result.failures.empty()) << results.describe_failures();
  }
}

TEST(ARankThatEnds, IsNamedWhenItExits) {
  const auto results = run_with_a_deserter(RankMode::kProcesses, [](Communicator&) { _exit(3); });
  expect_survivors(results, ErrorCode::kPeerLost, "rank 1 (process ");
}

TEST(ARankThatEnds, IsNamedWhenItCrashes) {
  const auto results = run_with_a_deserter(RankMode::kProcesses, [](Communicator&) { std::abort(); });
  expect_survivors(results, ErrorCode::kPeerLost, ") has died");
}

class ARankThatLeaves : public ::testing::TestWithParam<RankMode> {};

TEST_P(ARankThatLeaves, IsNamedWhenItsCommunicatorGoesAway) {
  const auto results = run_with_a_deserter(GetParam(), [](Communicator& communicator) {
    [[maybe_unused]] const Communicator gone(std::move(communicator));
  });
  ASSERT_NO_FATAL_FAILURE();
  for (const int survivor : {0, 2}) {
    ASSERT_TRUE(results[survivor].error);
    EXPECT_EQ(results[survivor].error->code(), ErrorCode::kPeerLost);
    EXPECT_EQ(results[survivor].error->peer(), 1);
  }
}

TEST_P(ARankThatLeaves, IsNamedWithItsReasonWhenItAborts) {
  const auto results = run_with_a_deserter(GetParam(), [](Communicator& communicator) {
    communicator.abort("the loss is not a number");
    EXPECT_THROW(communicator.barrier(), Error);
  });
  expect_survivors(results, ErrorCode::kAborted, "rank 1 called the group off: the loss is not a number");
}

TEST_P(ARankThatLeaves, IsNamedAtTheDeadlineWhenItStalls) {
  const std::string token = fault_token();
  const auto results = run_ranks(3, GetParam(), [&](RankContext& rank) {
    Communicator communicator = join(rank, token);
    communicator.set_timeout(300ms);
    std::vector<float> gradients(100'000);
    communicator.all_reduce(gradients, ReduceOp::kSum, {.label = "bucket 6"});
    auto& done = rank.shared<std::atomic<int>>();
    if (rank.rank() == 1) {
      rank.wait_until([&] { return done == 2; });
      return;
    }
    try {
      communicator.all_reduce(gradients, ReduceOp::kSum, {.label = "bucket 7"});
    } catch (const Error&) {
      ++done;
      rank.notify_all();
      throw;
    }
  });
  expect_survivors(results, ErrorCode::kTimeout, " for rank 1; at that time");
  EXPECT_THAT(
      results[0].exception_text,
      HasSubstr("rank 1 has finished all_reduce #0 of 100000 x f32, sum, 'bucket 6', which it called "));
  EXPECT_THAT(results[0].exception_text,
              HasSubstr("rank 2 is in all_reduce #1 of 100000 x f32, sum, 'bucket 7'"));
}

// Rank 0 sends `count` numbers and goes, after rank 1 has asked for the first and before it looks again. Rank 1
// then asks for a second one.
RankResults run_a_farewell(RankMode mode, int count) {
  const std::string token = fault_token();
  return run_ranks(2, mode, [&](RankContext& rank) {
    std::optional<Communicator> communicator = join(rank, token);
    if (rank.rank() == 0) {
      rank.barrier();
      for (std::int32_t i = 0; i < count; ++i) {
        communicator->send(std::vector<std::int32_t>{i}, 1);
      }
      communicator.reset();
      rank.barrier();
      return;
    }
    std::vector<std::int32_t> first = {-1};
    std::vector<std::int32_t> second = {-1};
    Work asked = communicator->start_recv(first, 0);
    rank.barrier();
    rank.barrier();
    std::this_thread::sleep_for(10ms);  // for longer than it goes without a look for lost peers
    Work asked_again = communicator->start_recv(second, 0);
    asked.wait();
    EXPECT_EQ(first.front(), 0);
    asked_again.wait();
    EXPECT_EQ(second.front(), 1);
  });
}

TEST_P(ARankThatLeaves, LeavesItsMessagesBehind) {
  run_a_farewell(GetParam(), 2).expect_all_ok();
}

TEST_P(ARankThatLeaves, IsNamedWhenAMessageIsMissing) {
  const auto results = run_a_farewell(GetParam(), 1);
  ASSERT_TRUE(results[1].error) << results[1].describe() << results[1].exception_text;
  EXPECT_THAT(results[1].exception_text, HasSubstr("rank 0 has left the group"));
  EXPECT_EQ(results[1].error->operation(), "recv");
  EXPECT_EQ(results[1].error->sequence(), 1U);
  EXPECT_TRUE(results[1].failures.empty()) << results.describe_failures();
}

INSTANTIATE_TEST_SUITE_P(Modes, ARankThatLeaves, ::testing::ValuesIn(kRankModes), rank_mode_name);

TEST(AFinishedRank, MayLeaveWhileOthersAreStillReading) {
  for (int trial = 0; trial < 50; ++trial) {
    const std::string token = fault_token();
    run_ranks(4, RankMode::kProcesses, [&](RankContext& rank) {
      Communicator communicator = join(rank, token);
      std::vector<float> values(30'000, 1.0F);
      communicator.all_reduce(values, ReduceOp::kSum);
      EXPECT_EQ(values.back(), 4.0F);
    }).expect_all_ok();
  }
}

}  // namespace
}  // namespace lockstep::testing
