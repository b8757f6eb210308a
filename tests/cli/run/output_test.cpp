// What becomes of the workers' output and of the launcher's input.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run/launcher_run.h"

namespace lockstep::run {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

// The files under a folder, with their paths in it.
std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path().lexically_relative(folder).string());
    }
  }
  return files;
}

TEST(RunOutput, OfAFloodLetsTheOthersThroughAndTearsNoLine) {
  constexpr int kLines = 100'000;  // of 1000 bytes
  LauncherRun run({"-n", "3"}, {"flood", std::to_string(kLines)});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0);
  const auto lines = lines_of(done.out);
  std::map<int, int> next;
  for (const std::string& line : lines) {
    int rank = -1;
    int number = -1;
    if (std::sscanf(line.c_str(), "[default%*d]:rank %d line %d x", &rank, &number) != 2) {
      EXPECT_THAT(line, HasSubstr("]:ready "));
      continue;
    }
    ASSERT_EQ(number, next[rank]++) << line;
    ASSERT_EQ(line.size(),
              (rank == 0 ? 980U : 1U) + std::string_view("[default0]:rank 0 line 0000000 ").size());
  }
  EXPECT_EQ(next[0], kLines);
  EXPECT_EQ(next[1], 1000);
  EXPECT_EQ(next[2], 1000);
  // The short ones do not wait for the flood to be over.
  const auto last_of_others = std::find_if(lines.rbegin(), lines.rend(), [](const std::string& line) {
    return line.starts_with("[default1]") || line.starts_with("[default2]");
  });
  EXPECT_GT(last_of_others - lines.rbegin(), kLines / 10);
}

TEST(RunOutput, ThatNobodyReadsDoesNotKeepTheLauncherFromEnding) {
  LauncherRun run({"-n", "2"}, {"flood", "0"});
  run.await_ready(2);
  run.signal(SIGTERM);
  EXPECT_EQ(run.exit_code_unread(), 128 + SIGTERM);
}

TEST(RunOutput, ThatNobodyReadsDoesNotKeepAKilledLaunchersSupervisor) {
  LauncherRun run({"-n", "2"}, {"flood", "0"});
  run.await_ready(2);
  kill(run.pid(), SIGKILL);
  run.expect_processes_end();
}

TEST(RunOutput, WithoutAReaderIsDropped) {
  LauncherRun run({"-n", "2"}, {"flood", "2000"}, {"sh", "-c", "\"$@\" | head -n 1; exit 7", "sh"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 7);
  EXPECT_EQ(done.report["exit_code"], 0);
}

TEST(RunOutput, GoesToFilesAndHereWithALogFolder) {
  LauncherRun run({"-n", "2", "--log-dir", "logs", "--rdzv-id", "night"}, {"hello"});
  const FinishedRun& done = run.finish();
  EXPECT_THAT(files_in(run.log_dir()),
              UnorderedElementsAre("night/attempt_0/0/stdout.log", "night/attempt_0/0/stderr.log",
                                   "night/attempt_0/1/stdout.log", "night/attempt_0/1/stderr.log"));
  EXPECT_EQ(text_of(run.log_dir() / "night/attempt_0/1/stdout.log"), "out 1\n");
  EXPECT_EQ(text_of(run.log_dir() / "night/attempt_0/0/stderr.log"), "err 0\n");
  EXPECT_THAT(done.out, HasSubstr("[default1]:out 1\n"));
  EXPECT_THAT(done.err, HasSubstr("[default0]:err 0\n"));
}

TEST(RunOutput, IsRedirectedByStream) {
  LauncherRun run({"-n", "2", "--log-dir", "logs", "--rdzv-id", "night", "--redirects", "0:1,1:2"},
                  {"hello"});
  const FinishedRun& done = run.finish();
  EXPECT_THAT(files_in(run.log_dir()),
              UnorderedElementsAre("night/attempt_0/0/stdout.log", "night/attempt_0/1/stderr.log"));
  EXPECT_EQ(done.out, "[default1]:out 1\n");
  EXPECT_THAT(done.err, HasSubstr("[default0]:err 0\n"));
  EXPECT_THAT(done.err, Not(HasSubstr("err 1")));
}

TEST(RunOutput, IsTeedByStream) {
  LauncherRun run({"-n", "2", "--log-dir", "logs", "--rdzv-id", "night", "--tee", "1:3"}, {"hello"});
  const FinishedRun& done = run.finish();
  EXPECT_THAT(files_in(run.log_dir()),
              UnorderedElementsAre("night/attempt_0/1/stdout.log", "night/attempt_0/1/stderr.log"));
  EXPECT_THAT(lines_of(done.out), UnorderedElementsAre("[default0]:out 0", "[default1]:out 1"));
}

TEST(RunOutput, OfOtherRanksIsLeftOutWithAFilter) {
  LauncherRun run({"-n", "3", "--ranks-filter", "1"}, {"hello"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.out, "[default1]:out 1\n");
  EXPECT_THAT(done.err, AllOf(HasSubstr("err 1"), Not(HasSubstr("err 0")), Not(HasSubstr("err 2"))));
}

TEST(RunOutput, HasThePrefixThatIsAskedFor) {
  LauncherRun run(
      {"-n", "1", "--role", "trainer", "--log-line-prefix-template", "<${role_name} ${local_rank}> "},
      {"hello"});
  EXPECT_EQ(run.finish().out, "<trainer 0> out 0\n");
}

TEST(RunOutput, OfAFailureLeavesItsRecordInTheLogFolder) {
  LauncherRun run({"-n", "2", "--log-dir", "logs", "--rdzv-id", "night"},
                  {"train-guarded", "exception", "1"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 1);
  const fs::path record = run.log_dir() / "night/attempt_0/1/error.json";
  EXPECT_THAT(text_of(record), HasSubstr("cannot read the data"));
  EXPECT_THAT(done.messages(), ::testing::Contains("  (from " + record.string() + ")"));
  EXPECT_THAT(done.messages(),
              ::testing::Contains("  logs: " + (run.log_dir() / "night/attempt_0").string()));
}

TEST(RunInput, ReachesRank0Alone) {
  LauncherRun run({"-n", "3"}, {"read"}, {"sh", "-c", "printf 'one\\ntwo\\n' | \"$@\"", "sh"});
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(lines_of(done.out),
              UnorderedElementsAre("[default0]:rank 0 read one", "[default0]:rank 0 read two",
                                   "[default0]:rank 0 is at the end", "[default1]:rank 1 is at the end",
                                   "[default2]:rank 2 is at the end"));
}

}  // namespace
}  // namespace lockstep::run
