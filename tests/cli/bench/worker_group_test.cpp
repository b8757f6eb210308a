#include "cli/bench/worker_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <string>

#include "base/unique_fd.h"
#include "cli/bench/contender.h"
#include "cli/bench/ping_pong_flags.h"
#include "comm/shm/memory_file.h"

namespace lockstep::bench {
namespace {

using std::chrono::seconds;
using testing::Each;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::size_t kBytes = 1 << 20;

// The workers of `lockstep bench allreduce`; a group of them lives on without the descriptor of its flags.
WorkerGroup lockstep_group(int ranks, std::chrono::nanoseconds patience) {
  const UniqueFd flags = create_memory_file(sizeof(PingPongFlags));
  return {make_team({.implementation = Implementation::kLockstep, .program = LOCKSTEP_PROGRAM, .missing = {}},
                    ranks, flags.get()),
          patience};
}

WorkerGroup joined_group(std::chrono::nanoseconds patience = seconds(30)) {
  WorkerGroup group = lockstep_group(2, patience);
  group.join(kBytes);
  return group;
}

Order measure_order(std::size_t bytes, int iterations) {
  return {.kind = OrderKind::kMeasure, .bytes = bytes, .iterations = iterations, .invitation = {}};
}

std::string failure_of(const std::function<void()>& action, ErrorCode code) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.message();
  }
  return "nothing was thrown";
}

TEST(WorkerGroup, MeasuresOnEveryRank) {
  WorkerGroup group = lockstep_group(3, seconds(30));
  EXPECT_THAT(group.join(kBytes), StartsWith("lockstep "));
  const auto times = group.measure(measure_order(4096, 5));
  EXPECT_THAT(times, SizeIs(3));
  EXPECT_THAT(times, Each(SizeIs(5)));
}

TEST(WorkerGroup, MeasuresTheHostThroughTheRanksOfLockstep) {
  WorkerGroup group = joined_group();
  Order order = measure_order(4096, 4);
  order.kind = OrderKind::kBound;
  EXPECT_THAT(group.measure(order), Each(SizeIs(4)));
  order.kind = OrderKind::kPingPong;
  EXPECT_THAT(group.measure(order, 2), SizeIs(2));
}

TEST(WorkerGroup, NamesTheRankThatEndsBeforeItConnects) {
  const WorkerTeam broken{.name = "gloo", .ranks = 2, .commands = {{"/bin/false"}, {"/bin/false"}}};
  EXPECT_THAT(failure_of([&] { WorkerGroup(broken, seconds(30)); }, ErrorCode::kPeerLost),
              testing::MatchesRegex("rank [01] of 2 of gloo exited with code 1 before it connected"));
}

TEST(WorkerGroup, NamesTheLauncherThatEndsBeforeItsRanksConnect) {
  const WorkerTeam broken{.name = "openmpi", .ranks = 2, .commands = {{"false"}}};
  EXPECT_EQ(failure_of([&] { WorkerGroup(broken, seconds(30)); }, ErrorCode::kPeerLost),
            "false exited with code 1 before it connected");
}

TEST(WorkerGroup, BringsEachAnswerInWhole) {
  WorkerGroup group = joined_group();
  const std::vector<Answer> answers = group.ask(measure_order(4096, 2));
  ASSERT_THAT(answers, SizeIs(2));
  for (const Answer& answer : answers) {
    EXPECT_THAT(answer.times_ns, SizeIs(2));
  }
}

TEST(WorkerGroup, NamesTheRankThatWasKilled) {
  WorkerGroup group = joined_group();
  kill(group.processes()[1], SIGKILL);
  EXPECT_EQ(failure_of([&] { group.measure(measure_order(4096, 1)); }, ErrorCode::kPeerLost),
            "rank 1 of 2 of lockstep was killed by SIGKILL during the benchmark");
}

TEST(WorkerGroup, NamesTheRankThatStalls) {
  WorkerGroup group = joined_group(seconds(5));
  kill(group.processes()[0], SIGSTOP);
  const std::string failure = failure_of(
      [&] {
        group.measure({.kind = OrderKind::kJoin, .bytes = kBytes, .iterations = 0, .invitation = {}}, 1);
      },
      ErrorCode::kTimeout);
  EXPECT_EQ(failure, "rank 0 of 2 of lockstep did not answer within 5.00 s");
}

TEST(WorkerGroup, PassesOnWhatAWorkerComplainsAbout) {
  WorkerGroup group = joined_group();
  EXPECT_THAT(failure_of([&] { group.measure(measure_order(2 * kBytes, 1)); }, ErrorCode::kPeerLost),
              testing::MatchesRegex(
                  "rank [01] of 2 of lockstep failed: .*no worker can do 1 iterations of 2097152 bytes"));
}

TEST(WorkerGroup, LeavesNoProcessBehind) {
  std::vector<pid_t> processes;
  {
    WorkerGroup group = joined_group();
    processes = group.processes();
    for (const pid_t process : processes) {
      EXPECT_EQ(kill(process, 0), 0);
    }
  }
  for (const pid_t process : processes) {
    EXPECT_NE(kill(process, 0), 0) << process;
  }
}

}  // namespace
}  // namespace lockstep::bench
