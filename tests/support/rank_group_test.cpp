#include "support/rank_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "lockstep/error.h"
#include "support/process_watch.h"
#include "support/run_ranks.h"
#include "support/survivor_check.h"

namespace lockstep::testing {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Also checks, after each test, that no process is left of it.
class RankGroups : public ::testing::TestWithParam<RankMode> {
 protected:
  void TearDown() override { survivors_.expect_nobody_left(); }

 private:
  SurvivorCheck survivors_;
};

class RankGroupsOfProcesses : public RankGroups {};

INSTANTIATE_TEST_SUITE_P(Modes, RankGroups, ::testing::ValuesIn(kRankModes), rank_mode_name);
INSTANTIATE_TEST_SUITE_P(Only, RankGroupsOfProcesses, ::testing::Values(RankMode::kProcesses),
                         rank_mode_name);

struct Progress {
  std::atomic<int> started;
  std::atomic<bool> released;
};

void start_and_wait(RankContext& rank) {
  rank.shared<Progress>().started.fetch_add(1);
  rank.notify_all();
  rank.wait_until([&rank] { return rank.shared<Progress>().released.load(); });
}

bool all_started(const RankGroup& group) {
  return group.shared<Progress>().started.load() == group.size();
}

TEST_P(RankGroups, LetTheParentTakePart) {
  RankGroup group(4, GetParam(), start_and_wait);
  EXPECT_EQ(group.size(), 4);
  ASSERT_TRUE(group.wait_until([&] { return all_started(group); }));
  group.shared<Progress>().released = true;
  group.notify_all();
  group.join().expect_all_ok();
}

TEST_P(RankGroups, TellTheParentWhenThereIsNothingMoreToWaitFor) {
  RankGroup group(2, GetParam(), [](RankContext&) {});
  EXPECT_FALSE(group.wait_until([] { return false; }));
  group.join().expect_all_ok();
}

TEST_P(RankGroups, TellTheParentWhenTheDeadlineHasPassed) {
  RankGroup group(2, GetParam(), start_and_wait, {.timeout = milliseconds(30)});
  EXPECT_FALSE(group.wait_until([] { return false; }));
  EXPECT_TRUE(group.deadline().expired());
  EXPECT_EQ(group.join()[1].outcome, RankOutcome::kTimedOut);
}

TEST_P(RankGroups, DoNotRunLongerThanTheirRanks) {
  RankGroup group(2, GetParam(), [](RankContext&) {}, {.timeout = hours(24)});
  group.run_for(hours(12));
  EXPECT_LT(group.deadline().elapsed(), hours(12));
  group.join().expect_all_ok();
}

TEST_P(RankGroups, RunForAsLongAsTheyAreTold) {
  RankGroup group(2, GetParam(), start_and_wait);
  group.run_for(milliseconds(5));
  EXPECT_GE(group.deadline().elapsed(), milliseconds(5));
  group.shared<Progress>().released = true;
  group.notify_all();
  group.join().expect_all_ok();
}

TEST_P(RankGroups, StopTheirRanksWhenTheyGoAway) {
  RankGroup group(3, GetParam(), start_and_wait, {.timeout = hours(1)});
  ASSERT_TRUE(group.wait_until([&] { return all_started(group); }));
}

TEST_P(RankGroups, StopRanksThatHaveHardlyStarted) {
  for (int round = 0; round < 20; ++round) {
    const RankGroup group(3, GetParam(), start_and_wait, {.timeout = hours(1)});
  }
}

TEST_P(RankGroupsOfProcesses, KillARankAtAChosenMoment) {
  RankGroup group(4, GetParam(), [](RankContext& rank) {
    rank.shared<Progress>().started.fetch_add(1);
    rank.notify_all();
    if (rank.rank() == 2) {
      rank.wait_until([] { return false; });
    }
    rank.barrier();
  });
  ASSERT_TRUE(group.wait_until([&] { return all_started(group); }));
  group.kill(2);
  const auto results = group.join();
  EXPECT_EQ(results[2].outcome, RankOutcome::kKilled);
  EXPECT_EQ(results[2].status.signal, SIGKILL);
  EXPECT_EQ(results.first_failure(), &results[2]);
  for (const int rank : {0, 1, 3}) {
    ASSERT_TRUE(results[rank].error.has_value()) << results[rank].describe();
    EXPECT_EQ(results[rank].error->code(), ErrorCode::kPeerLost);
    EXPECT_EQ(results[rank].error->peer(), 2);
  }
}

TEST_P(RankGroupsOfProcesses, PutAKilledRankBeforeOneThatEndedBecauseOfIt) {
  RankGroup group(2, GetParam(), [](RankContext& rank) {
    auto& victim = rank.shared<std::atomic<pid_t>>();
    if (rank.rank() == 1) {
      victim = getpid();
      rank.notify_all();
      rank.wait_until([] { return false; });
    }
    rank.wait_until([&victim] { return victim != 0; });
    EXPECT_TRUE(ProcessWatch(victim).wait_for_end(rank.deadline()));
    throw Error(ErrorCode::kPeerLost, "rank 1 is gone");
  });
  ASSERT_TRUE(group.wait_until([&group] { return group.shared<std::atomic<pid_t>>() != 0; }));
  // From here on the parent does not look until both have ended: rank 0 will have said when, rank 1 cannot.
  const ProcessWatch consequence(group.pid(0));
  group.kill(1);
  ASSERT_TRUE(consequence.wait_for_end(group.deadline()));
  const auto results = group.join();
  EXPECT_EQ(results.end_order(), (std::vector<int>{1, 0}));
  EXPECT_EQ(results.first_failure(), &results[1]);
}

TEST_P(RankGroupsOfProcesses, SendAnySignal) {
  RankGroup group(2, GetParam(), start_and_wait);
  ASSERT_TRUE(group.wait_until([&] { return all_started(group); }));
  group.kill(0, SIGSTOP);
  group.kill(0, SIGCONT);
  group.kill(1, SIGHUP);
  group.shared<Progress>().released = true;
  group.notify_all();
  const auto results = group.join();
  EXPECT_TRUE(results[0].ok());
  EXPECT_EQ(results[1].status.signal, SIGHUP);
}

TEST_P(RankGroupsOfProcesses, IgnoreASignalForARankThatHasEnded) {
  RankGroup group(1, GetParam(), [](RankContext&) {});
  EXPECT_GT(group.pid(0), 0);
  EXPECT_FALSE(group.wait_until([] { return false; }));
  group.kill(0);
  group.join().expect_all_ok();
}

TEST_P(RankGroupsOfProcesses, TakeOutputInWhileTheParentWaits) {
  RankGroup group(1, GetParam(), [](RankContext& rank) {
    const std::string line(1023, 'x');
    for (int i = 0; i < 1024; ++i) {
      std::puts(line.c_str());  // far more than a pipe holds
    }
    start_and_wait(rank);
  });
  EXPECT_TRUE(group.wait_until([&] { return all_started(group); }));
  group.shared<Progress>().released = true;
  group.notify_all();
  group.join().expect_all_ok();
}

TEST_P(RankGroupsOfProcesses, DieWithTheTest) {
  struct Pids {
    std::array<std::atomic<pid_t>, 2> pids;
  };
  RankGroup test(1, GetParam(), [](RankContext& outer) {
    const RankGroup inner(2, RankMode::kProcesses, start_and_wait);
    for (int rank = 0; rank < 2; ++rank) {
      outer.shared<Pids>().pids[static_cast<std::size_t>(rank)] = inner.pid(rank);
    }
    outer.notify_all();
    outer.wait_until([] { return false; });
  });
  auto& pids = test.shared<Pids>().pids;
  ASSERT_TRUE(test.wait_until([&] { return pids[0] != 0 && pids[1] != 0; }));
  const ProcessWatch first(pids[0]);
  const ProcessWatch second(pids[1]);
  EXPECT_FALSE(first.wait_for_end(Deadline::after(seconds(0))));
  test.kill(0);
  EXPECT_TRUE(first.wait_for_end(Deadline::after(seconds(10))));
  EXPECT_TRUE(second.wait_for_end(Deadline::after(seconds(10))));
  EXPECT_EQ(test.join()[0].status.signal, SIGKILL);
}

TEST_P(RankGroupsOfProcesses, SurviveKillsAtRandomInstants) {
  std::mt19937 random(20);  // NOLINT(bugprone-random-generator-seed): the same instants in every run
  for (int round = 0; round < 40; ++round) {
    RankGroup group(4, GetParam(), [](RankContext& rank) {
      for (;;) {
        rank.barrier();
      }
    });
    group.run_for(microseconds(random() % 2000));
    const int victim = static_cast<int>(random() % 4);
    group.kill(victim);
    const auto results = group.join();
    EXPECT_EQ(results[victim].status.signal, SIGKILL);
    ASSERT_EQ(results.first_failure(), &results[victim]) << results.describe_failures();
    for (const RankResult& result : results) {
      EXPECT_TRUE(result.rank == victim || (result.error && result.error->peer() == victim))
          << result.describe();
    }
  }
}

TEST(RankGroupOfThreads, HasNoProcesses) {
  RankGroup group(2, RankMode::kThreads, [](RankContext&) {});
  for (const auto& call : std::vector<std::function<void()>>{[&] { group.pid(1); }, [&] { group.kill(1); }}) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
      EXPECT_EQ(error.message(), "rank 1 is a thread: only RankMode::kProcesses has a process for it");
    }
  }
  group.join().expect_all_ok();
}

TEST(RankGroupOfThreads, TellsRanksThatItGaveUpOnThem) {
  std::atomic<int> called_off = 0;
  {
    const RankGroup group(2, RankMode::kThreads, [&called_off](RankContext& rank) {
      try {
        rank.wait_until([] { return false; });
      } catch (const Error& error) {
        called_off += error.code() == ErrorCode::kAborted ? 1 : 0;
        throw;
      }
    });
  }
  EXPECT_EQ(called_off, 2);
}

}  // namespace
}  // namespace lockstep::testing
