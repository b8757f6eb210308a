// Two launchers on one machine, as on two hosts: their workers meet over gloo, and each launcher knows only its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "cli/run/launcher_run.h"
#include "cli/run/reserved_port.h"

namespace lockstep::run {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class HostsTest : public ::testing::Test {
 protected:
  std::vector<std::string> flags(int node_rank) const {
    return {"-n",
            "2",
            "--bind",
            "none",
            "--nnodes",
            "2",
            "--node-rank",
            std::to_string(node_rank),
            "--master-addr",
            "127.0.0.1",
            "--master-port",
            std::to_string(port_.number())};
  }

 private:
  const ReservedPort port_;
};

TEST_F(HostsTest, EndWellTogether) {
  LauncherRun first(flags(0), {"recover", "0", "step"});
  LauncherRun second(flags(1), {"recover", "0", "step"});
  for (LauncherRun* run : {&first, &second}) {
    const FinishedRun& done = run->finish();
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.report["world_size"], 4);
    EXPECT_EQ(done.report["attempts"][0]["workers"].size(), 2U);
  }
}

TEST_F(HostsTest, EndTogetherWhenOneLosesAWorker) {
  LauncherRun first(flags(0), {"train-guarded"});
  LauncherRun second(flags(1), {"train-guarded"});
  first.await_ready(2);
  const auto pids = second.await_ready(2);
  kill(pids.at(3), SIGKILL);
  const FinishedRun& there = second.finish();
  const FinishedRun& here = first.finish();

  EXPECT_EQ(there.exit_code, 128 + SIGKILL);
  EXPECT_EQ(there.messages().at(0), "rank 3 failed first: it was killed by SIGKILL");
  EXPECT_THAT(there.messages(), Not(Contains(HasSubstr("elsewhere"))));
  EXPECT_THAT(there.messages(), Contains(MatchesRegex("    rank 2 exited with code 1, .*")));
  EXPECT_EQ(there.report["attempts"][0]["first_failure"], 3);

  EXPECT_EQ(here.exit_code, 1);
  EXPECT_THAT(
      here.messages(),
      Contains(MatchesRegex("  what failed is elsewhere: rank [23] of another host, as rank [01] saw it")));
}

TEST(BackendsOfAJob, ThatDifferAreNamedAtOnce) {
  LauncherRun run({"-n", "2", "--bind", "none"}, {"join-differently"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.messages().at(0),
            "the ranks differ in WorldOptions::backend and can never meet: rank 0 has shm, rank 1 has gloo")
      << done.err;
}

}  // namespace
}  // namespace lockstep::run
