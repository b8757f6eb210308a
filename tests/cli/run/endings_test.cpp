// Every way in which a job of 1, 2 and 8 workers can end: what the launcher exits with, says and writes down. That
// nothing is left behind is checked by LauncherRun, for every run.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "cli/run/launcher_run.h"

namespace lockstep::run {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;

class EndingTest : public ::testing::TestWithParam<int> {
 protected:
  int ranks() const { return GetParam(); }
  int last_rank() const { return ranks() - 1; }
  // Unbound: 8 ranks on fewer cores would make the launcher say that it cannot.
  std::vector<std::string> ranks_flag() const { return flags({}); }

  std::vector<std::string> flags(std::vector<std::string> more) const {
    more.insert(more.begin(), {"-n", std::to_string(ranks()), "--bind", "none"});
    return more;
  }

  // "rank 0" or "ranks 0-6": all but the last.
  std::string other_ranks() const {
    return ranks() == 2 ? "rank 0" : fmt::format("ranks 0-{}", last_rank() - 1);
  }
  std::string all_ranks() const { return ranks() == 1 ? "rank 0" : fmt::format("ranks 0-{}", last_rank()); }

  // The last rank fails in a way that needs no peers; the others, which wait, are stopped.
  void expect_failure(const std::string& how, int exit_code, const std::string& description) const {
    LauncherRun run(ranks_flag(), {"fail", how, std::to_string(last_rank())});
    const FinishedRun& done = run.finish();
    EXPECT_EQ(done.exit_code, exit_code);
    const auto messages = done.messages();
    ASSERT_GE(messages.size(), 2U) << done.err;
    EXPECT_EQ(messages[0], fmt::format("rank {} failed: it {}", last_rank(), description));
    EXPECT_THAT(messages[1],
                MatchesRegex("  process [0-9]+ on .* of '.*scenario-worker', .* after the start"));
    if (ranks() > 1) {
      EXPECT_EQ(messages.back(), "  stopped by the launcher: " + other_ranks());
    }
    expect_report(done, exit_code);
  }

  void expect_report(const FinishedRun& done, int exit_code) const {
    ASSERT_TRUE(done.report.is_object());
    EXPECT_EQ(done.report["exit_code"], exit_code);
    EXPECT_EQ(done.report["world_size"], ranks());
    const json& attempt = done.report["attempts"][0];
    EXPECT_EQ(attempt["first_failure"], last_rank());
    ASSERT_EQ(attempt["workers"].size(), static_cast<std::size_t>(ranks()));
    for (int rank = 0; rank < ranks(); ++rank) {
      const json& worker = attempt["workers"][static_cast<std::size_t>(rank)];
      EXPECT_EQ(worker["rank"], rank);
      EXPECT_EQ(worker["result"], rank == last_rank() ? "failed first" : "stopped");
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Ranks, EndingTest, ::testing::Values(1, 2, 8));

TEST_P(EndingTest, Success) {
  LauncherRun run(ranks_flag(), {"hello"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0);
  for (int rank = 0; rank < ranks(); ++rank) {
    EXPECT_THAT(done.out, HasSubstr(fmt::format("[default{0}]:out {0}\n", rank)));
    EXPECT_THAT(done.err, HasSubstr(fmt::format("[default{0}]:err {0}\n", rank)));
    EXPECT_EQ(done.report["attempts"][0]["workers"][static_cast<std::size_t>(rank)]["result"], "finished");
  }
  EXPECT_EQ(done.report["exit_code"], 0);
  EXPECT_EQ(done.report["attempts"][0]["first_failure"], nullptr);
  EXPECT_THAT(done.err, Not(HasSubstr("failed")));
  if (ranks() > 1) {
    EXPECT_THAT(done.messages(), ElementsAre(fmt::format(
                                     "no rank called lockstep::World::join(): {} copies of the program ran "
                                     "without knowing of each other, unless they met by other means",
                                     ranks())));
  } else {
    EXPECT_THAT(done.messages(), IsEmpty());
  }
}

TEST_P(EndingTest, ExitCode) {
  expect_failure("exit3", 3, "exited with code 3");
}

TEST_P(EndingTest, Abort) {
  expect_failure("abort", 128 + SIGABRT, "was killed by SIGABRT");
}

TEST_P(EndingTest, Crash) {
  expect_failure("segv", 128 + SIGSEGV, "was killed by SIGSEGV");
}

TEST_P(EndingTest, Kill) {
  expect_failure("sigkill", 128 + SIGKILL, "was killed by SIGKILL");
}

// In a world, the others notice by themselves.
TEST_P(EndingTest, EscapingException) {
  LauncherRun run(ranks_flag(), {"train-guarded", "exception", std::to_string(last_rank())});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 1);
  const auto messages = done.messages();
  EXPECT_EQ(messages.at(0),
            fmt::format("rank {} failed{}: it exited with code 1", last_rank(), ranks() > 1 ? " first" : ""));
  EXPECT_THAT(messages.at(1), MatchesRegex("  process .* after the start, after 2 steps"));
  EXPECT_EQ(messages.at(2), "  what it said:");
  EXPECT_EQ(messages.at(3), "    cannot read the data");
  EXPECT_EQ(messages.at(4), "      caused by: part 7 is not there");
  EXPECT_THAT(messages, Not(Contains("  its last lines on standard error:"))) << "they say the same";
  if (ranks() > 1) {
    EXPECT_THAT(messages, Contains("  as a consequence:"));
  }
  EXPECT_EQ(done.report["attempts"][0]["first_failure"], last_rank());
}

// Nobody catches it: the process aborts, and the stack shows where it was thrown.
TEST_P(EndingTest, EscapingErrorNobodyCatches) {
  LauncherRun run(ranks_flag(), {"train", "error", std::to_string(last_rank())});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 128 + SIGABRT);
  const auto messages = done.messages();
  EXPECT_EQ(messages.at(0), fmt::format("rank {} failed{}: it was killed by SIGABRT", last_rank(),
                                        ranks() > 1 ? " first" : ""));
  EXPECT_EQ(messages.at(2), "  what it said:");
  EXPECT_EQ(messages.at(3), "    read failed: corrupt data: part 7 has the wrong length");
  EXPECT_EQ(messages.at(4), "      caused by: 4 bytes instead of 8");
  EXPECT_EQ(messages.at(6), "    where it was thrown:");
  EXPECT_THAT(messages.at(7), MatchesRegex("    #0 .*"));
  const json& workers = done.report["attempts"][0]["workers"];
  EXPECT_EQ(workers[static_cast<std::size_t>(last_rank())]["error"]["code"], "corrupt data");
  for (int rank = 0; rank < last_rank(); ++rank) {
    EXPECT_EQ(workers[static_cast<std::size_t>(rank)]["result"], "failed as a consequence");
  }
}

// The signal is how it ended; what was written, by which code, is why.
TEST_P(EndingTest, ForbiddenWrite) {
  LauncherRun run(ranks_flag(), {"train-guarded", "forbidden-write", std::to_string(last_rank())});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 128 + SIGSEGV);
  const auto messages = done.messages();
  EXPECT_THAT(
      messages.at(0),
      MatchesRegex(fmt::format("rank {} failed{}: it wrote to shared parameter 'fc.\"1\"', in "
                               ".*scenario-worker\\+0x[0-9a-f]+ \\(.*/scenario_worker.cpp:[0-9]+\\): don't",
                               last_rank(), ranks() > 1 ? " first" : "")));
  EXPECT_THAT(messages, Not(Contains(HasSubstr("SIGSEGV"))));
  EXPECT_THAT(messages, Not(Contains("  its last lines on standard error:")));
  EXPECT_THAT(done.err, HasSubstr(fmt::format("lockstep: rank {} wrote to shared parameter", last_rank())));
  const json& worker = done.report["attempts"][0]["workers"][static_cast<std::size_t>(last_rank())];
  EXPECT_EQ(worker["error"]["code"], "forbidden write");
  EXPECT_EQ(worker["signal"], "SIGSEGV");
}

TEST_P(EndingTest, CtrlC) {
  LauncherRun run(ranks_flag(), {"wait"});
  run.await_ready(ranks());
  run.signal(SIGINT);
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 128 + SIGINT);
  EXPECT_THAT(done.messages(), ElementsAre(fmt::format("SIGINT: stopping {} worker{}, at most 30.00 s",
                                                       ranks(), ranks() == 1 ? "" : "s"),
                                           MatchesRegex("ended by SIGINT after .*"),
                                           "  stopped by the launcher: " + all_ranks()));
  EXPECT_EQ(done.report["attempts"][0]["signal"], "SIGINT");
  EXPECT_EQ(done.report["attempts"][0]["first_failure"], nullptr);
}

TEST_P(EndingTest, TerminationThatIsIgnored) {
  LauncherRun run(flags({"--shutdown-timeout", "0.2"}), {"be-stubborn"});
  run.await_ready(ranks());
  run.signal(SIGTERM);
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 128 + SIGTERM);
  EXPECT_EQ(done.messages().back(),
            "  killed by the launcher, still running 200.0 ms after being asked to stop: " + all_ranks());
}

TEST_P(EndingTest, SecondCtrlC) {
  LauncherRun run(ranks_flag(), {"be-stubborn"});
  run.await_ready(ranks());
  run.signal(SIGINT);
  run.await_lines("SIGINT: stopping", 1);
  run.signal(SIGINT);
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 128 + SIGINT);
  EXPECT_THAT(done.messages(), Contains("SIGINT again: killing the workers"));
  EXPECT_EQ(done.messages().back(), "  killed by the launcher: " + all_ranks());
}

TEST_P(EndingTest, SavedAndToBeStartedAgain) {
  LauncherRun run(ranks_flag(), {"take-signal", "75"});
  run.await_ready(ranks());
  run.signal(SIGTERM);
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 75);
  EXPECT_THAT(done.out, HasSubstr("rank 0 got SIGTERM\n"));
}

TEST_P(EndingTest, LauncherKilled) {
  LauncherRun run(ranks_flag(), {"have-a-family"});
  run.await_ready(ranks());
  EXPECT_EQ(run.processes().size(), 2 + 4 * static_cast<std::size_t>(ranks()));
  kill(run.pid(), SIGKILL);
  EXPECT_EQ(run.exit_code_unread(), 128 + SIGKILL);
  run.expect_processes_end();
}

TEST_P(EndingTest, SupervisorKilled) {
  LauncherRun run(ranks_flag(), {"have-a-family"});
  run.await_ready(ranks());
  kill(run.supervisor(), SIGKILL);
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 128 + SIGKILL);
  EXPECT_THAT(done.messages(), ElementsAre("the supervisor was killed by SIGKILL; the workers were killed"));
}

TEST_P(EndingTest, FamiliesThatStay) {
  LauncherRun run(ranks_flag(), {"have-a-family"});
  run.await_ready(ranks());
  run.signal(SIGTERM);
  EXPECT_EQ(run.finish().exit_code, 128 + SIGTERM);
}

// The daemon holds the pipe of its worker's output, and the end of that never comes.
TEST_P(EndingTest, DaemonThatKeepsTheOutputOpen) {
  LauncherRun run(ranks_flag(), {"leave-a-daemon"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.messages(), SizeIs(ranks() == 1 ? 0 : 1)) << "only that nobody joined";
}

TEST_P(EndingTest, Garbage) {
  LauncherRun run(ranks_flag(), {"print-garbage"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, HasSubstr("lockstep run: rank 0 failed: it exited with code 3\n"));
  EXPECT_GT(done.out.size(), 100'000U);  // rank 0's: the others may be stopped before they have said all
  ASSERT_TRUE(done.report.is_object());
  EXPECT_EQ(done.report["attempts"][0]["first_failure"], 0);
}

TEST_P(EndingTest, ProgramThatIsNotThere) {
  LauncherRun run(flags({"no-such-program"}), {});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 127);
  EXPECT_THAT(done.messages(), ElementsAre("nothing was run: there is no program 'no-such-program'"));
  EXPECT_EQ(done.report["attempts"][0]["start_error"], "there is no program 'no-such-program'");
}

TEST_P(EndingTest, ProgramThatCannotBeExecuted) {
  LauncherRun run(flags({"/etc/passwd"}), {});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 126);
  EXPECT_THAT(done.messages(), ElementsAre("nothing was run: cannot start /etc/passwd: Permission denied"));
}

// Rank 1 says what is wrong and takes its time over ending; rank 0, which lost it, is gone before.
constexpr const char* kSlowToEnd = R"sh(
  if [ "$RANK" = 0 ]; then
    echo $$ > peer
    until [ -e said ]; do sleep 0.01; done
    exit 1
  fi
  until [ -s peer ]; do sleep 0.01; done
  echo '{"message": "part 7 is not there", "timestamp": "1763270000"}' > "$TORCHELASTIC_ERROR_FILE"
  touch said
  while kill -0 "$(cat peer)"; do sleep 0.01; done
  rm peer said
  exit 3
)sh";

TEST(ForeignEnding, IsTheOneOfTheRankThatSaidWhy) {
  LauncherRun run({"-n", "2", "--bind", "none", "sh", "-c", kSlowToEnd}, {});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 3) << done.err;
  EXPECT_EQ(done.messages().at(0), "rank 1 failed first: it exited with code 3");
  EXPECT_THAT(done.messages(), Contains("    part 7 is not there"));
}

// Code 0 is no excuse for going while the others are in a collective.
class EarlyEnding : public ::testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(EarlyEnding, InTheMiddleOfTheJobIsTheCause) {
  const auto& [action, complaint] = GetParam();
  LauncherRun run({"-n", "3", "--bind", "none"}, {action, "exit0", "1"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 1);
  const auto messages = done.messages();
  EXPECT_EQ(messages.at(0), "rank 1 failed first: it exited with code 0 " + complaint) << done.err;
  EXPECT_THAT(messages.at(1), MatchesRegex("  process .* after the start, after 2 steps"));
  EXPECT_THAT(messages, Contains("    rank 0 exited with code 1, since it lost rank 1"));
  EXPECT_THAT(messages, Contains("    rank 2 exited with code 1, since it lost rank 1"));
  EXPECT_EQ(done.report["attempts"][0]["first_failure"], 1);
}

INSTANTIATE_TEST_SUITE_P(
    Worlds, EarlyEnding,
    ::testing::Values(std::pair("train-guarded", "in the middle of the job, without leaving it"),
                      std::pair("train-statically", "before the others had finished with it")),
    [](const auto& test) { return test.index == 0 ? "Local" : "Static"; });

// The others would wait for five minutes.
TEST(EarlyEndingOfAJob, WithoutJoiningEndsTheWaitOfTheOthers) {
  LauncherRun run({"-n", "2", "--bind", "none"}, {"join-without", "1"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.messages().at(0),
            "rank 1 failed: it exited with code 0 without joining; rank 0 waited for it in World::join()")
      << done.err;
  EXPECT_EQ(done.messages().back(), "  stopped by the launcher: rank 0");
}

// Rank 0 begins to join when the launcher has long seen that rank 1 is gone; both are scripts around the program.
constexpr const char* kJoinsLate = R"sh(
  if [ "$RANK" = 1 ]; then
    echo $$ > peer
    while [ -e peer ]; do sleep 0.01; done
    exit 0
  fi
  until [ -s peer ]; do sleep 0.01; done
  pid=$(cat peer)
  rm peer
  while kill -0 $pid; do sleep 0.01; done
  "$0" join-without 1
)sh";

TEST(EarlyEndingOfAJob, WithoutJoiningIsNoticedInAnyOrder) {
  LauncherRun run({"-n", "2", "--bind", "none", "sh", "-c", kJoinsLate, LOCKSTEP_SCENARIO_WORKER}, {});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.messages().at(0),
            "rank 1 failed: it exited with code 0 without joining; rank 0 waited for it in World::join()")
      << done.err;
}

TEST(EarlyEndingOfAJob, IsNoneWhenAllHaveLeftInOrder) {
  LauncherRun run({"-n", "3", "--bind", "none"}, {"train-once"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.messages(), IsEmpty());
}

}  // namespace
}  // namespace lockstep::run
