// What workers are started with, what the launcher does with signals, and what it refuses to start.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "cli/run/launcher_run.h"
#include "topology/topology.h"

namespace lockstep::run {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Starts what follows with one signal ignored, as nohup does.
std::vector<std::string> ignoring(const std::string& name) {
  return {"sh", "-c", "trap '' " + name + "; exec \"$@\"", "sh"};
}

TEST(RunStart, TellsWorkersWhatTorchrunTellsThem) {
  LauncherRun run({"-n", "2", "--max-restarts", "3", "--rdzv-id", "night", "--role", "trainer",
                   "--ranks-filter", "1", "--threads-per-rank", "1"},
                  {"show-environment", "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK",
                   "GROUP_WORLD_SIZE", "ROLE_RANK", "ROLE_NAME", "ROLE_WORLD_SIZE", "MASTER_ADDR",
                   "TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_MAX_RESTARTS", "TORCHELASTIC_RUN_ID",
                   "TORCHELASTIC_USE_AGENT_STORE", "TORCH_NCCL_ASYNC_ERROR_HANDLING", "LOCKSTEP_ENV"},
                  {"env", "LOCKSTEP_ENV=slurm", "RANK=77", "TORCHELASTIC_RESTART_COUNT=9"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.out,
            "[trainer1]:RANK=1\n"
            "[trainer1]:LOCAL_RANK=1\n"
            "[trainer1]:WORLD_SIZE=2\n"
            "[trainer1]:LOCAL_WORLD_SIZE=2\n"
            "[trainer1]:GROUP_RANK=0\n"
            "[trainer1]:GROUP_WORLD_SIZE=1\n"
            "[trainer1]:ROLE_RANK=1\n"
            "[trainer1]:ROLE_NAME=trainer\n"
            "[trainer1]:ROLE_WORLD_SIZE=2\n"
            "[trainer1]:MASTER_ADDR=127.0.0.1\n"
            "[trainer1]:TORCHELASTIC_RESTART_COUNT=0\n"
            "[trainer1]:TORCHELASTIC_MAX_RESTARTS=3\n"
            "[trainer1]:TORCHELASTIC_RUN_ID=night\n"
            "[trainer1]:TORCHELASTIC_USE_AGENT_STORE=False\n"
            "[trainer1]:TORCH_NCCL_ASYNC_ERROR_HANDLING=1\n"
            "[trainer1]:LOCKSTEP_ENV=(unset)\n");
}

TEST(RunStart, BindsEveryRankToCoresOfItsOwn) {
  const std::vector<int> cores = read_topology().threads();
  const auto ranks = static_cast<int>(std::min<std::size_t>(cores.size(), 2));
  LauncherRun run({"-n", std::to_string(ranks), "--threads-per-rank", "1"}, {"show-cores"});
  const FinishedRun& done = run.finish();
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_THAT(done.out,
                HasSubstr(fmt::format("rank {}: {}\n", rank, cores[static_cast<std::size_t>(rank)])));
  }
}

TEST(RunStart, BindsNobodyWithMoreRanksThanCores) {
  const std::vector<int> cores = read_topology().threads();
  const std::size_t ranks = cores.size() + 1;
  LauncherRun run({"-n", std::to_string(ranks)}, {"show-cores"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.messages(), ElementsAre(HasSubstr("not bound to cores"), HasSubstr("no rank called")));
  std::string all;
  for (const int core : cores) {
    all += fmt::format(" {}", core);
  }
  EXPECT_THAT(done.out, HasSubstr("rank 0:" + all + "\n"));
}

TEST(RunStart, RefusesWhatCannotBeBeforeAnythingRuns) {
  LauncherRun run({"-n", "0", "--nnodes", "2"}, {"hello"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.err,
            "lockstep run: 2 problems, nothing was run:\n"
            "  --nproc-per-node: '0' is neither a number from 1 to 1048576 nor auto, cpu or gpu\n"
            "  --master-addr is needed with several hosts: the address of the one with --node-rank 0\n"
            "run 'lockstep run --help' for the list of options\n");
}

TEST(RunStart, ShowsThePlanAndStartsNothingIfAsked) {
  LauncherRun run({"-n", "2", "--dry-run"}, {"fail", "exit3", "0"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out, HasSubstr("scenario-worker fail exit3 0\n"));
  EXPECT_THAT(done.out, HasSubstr("\nrank 1 (local rank 1): "));
}

TEST(RunSignals, AreHandedOnWhenTheyDoNotEndTheJob) {
  for (const int number : {SIGUSR1, SIGUSR2}) {
    LauncherRun run({"-n", "2"}, {"take-signal", "0"});
    run.await_ready(2);
    run.signal(number);
    const FinishedRun& done = run.finish();
    EXPECT_EQ(done.exit_code, 0);
    for (const int rank : {0, 1}) {
      EXPECT_THAT(done.out, HasSubstr(fmt::format("rank {} got {}\n", rank, signal_name(number))));
    }
  }
}

TEST(RunSignals, EndTheJobIfAsked) {
  LauncherRun run({"-n", "2", "--signals-to-handle", "SIGUSR1"}, {"wait"});
  run.await_ready(2);
  run.signal(SIGUSR1);
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 128 + SIGUSR1);
  EXPECT_EQ(done.report["attempts"][0]["signal"], "SIGUSR1");
}

TEST(RunSignals, ThatTheLauncherWasStartedToIgnoreStayIgnored) {
  LauncherRun run({"-n", "2"}, {"take-signal", "0"}, ignoring("HUP"));
  run.await_ready(2);
  run.signal(SIGHUP);
  run.signal(SIGUSR1);
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.messages(), ElementsAre(HasSubstr("no rank called")));
  EXPECT_THAT(done.out, HasSubstr("rank 1 got SIGUSR1\n"));
}

TEST(RunSignals, OfChildrenCountThoughAParentIgnoredThem) {
  LauncherRun run({"-n", "2"}, {"fail", "exit3", "1"}, ignoring("CHLD"));
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.messages(), Contains("rank 1 failed: it exited with code 3"));
}

// The report of a failure is not lost when somebody loses patience while the others are stopped.
TEST(RunSignals, DuringTheStopAfterAFailureDoNotHideIt) {
  LauncherRun run({"-n", "2"}, {"be-stubborn"});
  const pid_t victim = run.await_ready(2).at(1);
  kill(victim, SIGKILL);
  // Once the launcher has taken the dead worker away it has seen the failure, and waits for rank 0, which ignores it.
  for (const Deadline deadline = Deadline::after(std::chrono::seconds(20)); kill(victim, 0) == 0;) {
    ASSERT_FALSE(deadline.expired());
    std::this_thread::yield();
  }
  run.signal(SIGINT);
  run.await_lines("SIGINT: stopping", 1);
  run.signal(SIGINT);
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 128 + SIGKILL);
  EXPECT_THAT(done.messages(), Contains("rank 1 failed: it was killed by SIGKILL"));
  EXPECT_EQ(done.messages().back(), "  killed by the launcher: rank 0");
  EXPECT_EQ(done.report["attempts"].size(), 1U);
}

}  // namespace
}  // namespace lockstep::run
