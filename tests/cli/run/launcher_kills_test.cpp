// Whoever is killed, and whenever: no process is left.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <csignal>
#include <random>

#include "cli/run/launcher_run.h"
#include "support/process_watch.h"

namespace lockstep::run {
namespace {

// Lets the launcher run for a random while of at most 60 ms.
void let_run(const LauncherRun& run, std::mt19937& random) {
  const std::chrono::microseconds while_(random() % 60'000);
  const testing::ProcessWatch watch(run.pid());
  EXPECT_FALSE(watch.wait_for_end(Deadline::after(while_)));
}

TEST(LauncherKills, LeaveNoOrphan) {
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in every run
  for (int round = 0; round < 200 && !HasFailure(); ++round) {
    LauncherRun run({"-n", "3"}, {"have-a-family"});
    let_run(run, random);
    kill(run.pid(), SIGKILL);
    EXPECT_EQ(run.exit_code_unread(), 128 + SIGKILL);
    run.expect_processes_end();
  }
}

TEST(SupervisorKills, LeaveNoOrphan) {
  std::mt19937 random(2);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in every run
  for (int round = 0; round < 50 && !HasFailure(); ++round) {
    LauncherRun run({"-n", "3"}, {"have-a-family"});
    let_run(run, random);
    kill(run.supervisor(), SIGKILL);
    EXPECT_EQ(run.finish().exit_code, 128 + SIGKILL);
  }
}

}  // namespace
}  // namespace lockstep::run
