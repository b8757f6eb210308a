// Jobs that are started again, and jobs whose ranks lose each other.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run/launcher_run.h"

namespace lockstep::run {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// What stands behind "attempt N token " in rank 0's output.
std::string token_of(const FinishedRun& done, int attempt) {
  const std::string before = fmt::format("attempt {} token ", attempt);
  const auto place = done.out.find(before);
  return place != std::string::npos
             ? done.out.substr(place + before.size(), done.out.find('\n', place) - place - before.size())
             : "";
}

TEST(Restart, BringsAJobBackThatFailedAfterAStep) {
  LauncherRun run({"-n", "2", "--max-restarts", "3", "--log-dir", "logs", "--rdzv-id", "night"},
                  {"recover", "2", "step"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.messages(), Contains("restarting all workers (1 of 3)"));
  EXPECT_THAT(done.messages(), Contains("restarting all workers (2 of 3)"));
  std::set<std::string> tokens;
  for (const int attempt : {0, 1, 2}) {
    tokens.insert(token_of(done, attempt));
    EXPECT_TRUE(std::filesystem::exists(run.log_dir() / "night" / fmt::format("attempt_{}", attempt) / "1" /
                                        "stdout.log"));
  }
  EXPECT_EQ(tokens.size(), 3U);  // a rank of an earlier attempt cannot get into a later one
  EXPECT_EQ(tokens.count(""), 0U);
  ASSERT_EQ(done.report["attempts"].size(), 3U);
  EXPECT_EQ(done.report["attempts"][0]["exit_code"], 3);
  EXPECT_EQ(done.report["attempts"][2]["exit_code"], 0);
  EXPECT_EQ(done.report["exit_code"], 0);
}

TEST(Restart, IsNoUseBeforeTheFirstStep) {
  LauncherRun run({"-n", "2", "--max-restarts", "3"}, {"recover", "1", "no-step"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_EQ(done.messages().back(),
            "  not restarted: no worker had reported its first step; --restart-on-start-failure restarts in "
            "any case");
  EXPECT_EQ(done.report["attempts"].size(), 1U);
}

TEST(Restart, HappensBeforeTheFirstStepIfAsked) {
  LauncherRun run({"-n", "2", "--max-restarts", "3", "--restart-on-start-failure"},
                  {"recover", "1", "no-step"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.report["attempts"].size(), 2U);
}

TEST(Restart, HasAnEnd) {
  LauncherRun run({"-n", "2", "--max-restarts", "2"}, {"recover", "9", "step"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_EQ(done.messages().back(), "  not restarted: all 2 of --max-restarts are used up");
  EXPECT_EQ(done.report["attempts"].size(), 3U);
}

class LostPeerTest : public ::testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Ranks, LostPeerTest, ::testing::Values(2, 8));

TEST_P(LostPeerTest, IsFirstAndThoseWhoLostItAreConsequences) {
  const int ranks = GetParam();
  std::mt19937 random(
      static_cast<unsigned>(ranks));  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in every run
  for (int round = 0; round < 3; ++round) {
    LauncherRun run({"-n", std::to_string(ranks), "--bind", "none"}, {"train-guarded"});
    const auto pids = run.await_ready(ranks);
    const int victim = static_cast<int>(random() % pids.size());
    kill(pids.at(victim), SIGKILL);  // wherever in its all-reduces it is
    const FinishedRun& done = run.finish();
    EXPECT_EQ(done.exit_code, 128 + SIGKILL);
    EXPECT_EQ(done.messages().at(0), fmt::format("rank {} failed first: it was killed by SIGKILL", victim));
    EXPECT_THAT(done.messages(), Contains("  as a consequence:"));
    const json& attempt = done.report["attempts"][0];
    EXPECT_EQ(attempt["first_failure"], victim);
    for (const json& worker : attempt["workers"]) {
      if (worker["rank"] != victim) {
        EXPECT_EQ(worker["result"], "failed as a consequence") << worker;
        EXPECT_THAT(
            done.messages(),
            Contains(HasSubstr(fmt::format("    rank {} exited with code 1, ", worker["rank"].get<int>()))));
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::run
