#include "lockstep/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/temp_dir.h"
#include "base/terminal.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTime = "[0-9][0-9]:[0-9][0-9]:[0-9][0-9][.][0-9][0-9][0-9] ";

// What standard error gets while `body` runs with a logger of these options.
template <class Body>
std::string console_output(const LogOptions& options, Body body) {
  ::testing::internal::CaptureStderr();
  {
    const ScopedLogger scope(std::make_shared<Logger>(options));
    body();
  }
  return ::testing::internal::GetCapturedStderr();
}

std::string read_file(const std::filesystem::path& path) {
  std::stringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

TEST(Log, PrefixesTheRankInAWorldOfSeveral) {
  const auto text =
      console_output({.rank = 3, .world_size = 8}, [] { LOCKSTEP_LOG(kWarning) << "slow by " << 7; });
  EXPECT_THAT(text, ContainsRegex(std::string("^") + kTime + "\\[rank 3/8\\] warning: slow by 7\n$"));
}

TEST(Log, HasNoRankInAWorldOfOne) {
  const auto text = console_output({}, [] { LOCKSTEP_LOG(kInfo) << "hello"; });
  EXPECT_THAT(text, ContainsRegex(std::string("^") + kTime + "info: hello\n$"));
}

TEST(Log, LetsRankZeroSpeakAndOthersOnlyWarn) {
  const auto speak = [] {
    LOCKSTEP_LOG(kDebug) << "details";
    LOCKSTEP_LOG(kInfo) << "news";
    LOCKSTEP_LOG(kWarning) << "trouble";
  };
  const auto zero = console_output({.rank = 0, .world_size = 2}, speak);
  EXPECT_THAT(zero, Not(HasSubstr("details")));
  EXPECT_THAT(zero, HasSubstr("news"));
  EXPECT_THAT(zero, HasSubstr("trouble"));
  const auto one = console_output({.rank = 1, .world_size = 2}, speak);
  EXPECT_THAT(one, Not(HasSubstr("news")));
  EXPECT_THAT(one, HasSubstr("trouble"));
  const auto asked = console_output({.rank = 1, .world_size = 2, .other_ranks = LogLevel::kDebug}, speak);
  EXPECT_THAT(asked, HasSubstr("details"));
}

TEST(Log, FormatsNothingWhenTheLevelIsOff) {
  int evaluated = 0;
  const auto text = console_output({.level = LogLevel::kOff}, [&] { LOCKSTEP_LOG(kError) << ++evaluated; });
  EXPECT_EQ(text, "");
  EXPECT_EQ(evaluated, 0);
}

TEST(Log, KeepsTheRankOnEveryLineOfAMessage) {
  const auto text =
      console_output({.rank = 1, .world_size = 2}, [] { LOCKSTEP_LOG(kError) << "first\nsecond\nthird"; });
  EXPECT_THAT(text, HasSubstr("error: first\n[rank 1/2]     second\n[rank 1/2]     third\n"));
}

TEST(Log, IsPlainWhereThereIsNoTerminal) {
  const auto message = [] { LOCKSTEP_LOG(kError) << "trouble"; };
  EXPECT_THAT(console_output({}, message), Not(HasSubstr("\033")));
  EXPECT_THAT(console_output({.color = true}, message), HasSubstr("\033["));
}

// What a terminal at standard error gets of a message.
std::string terminal_output(const std::optional<std::string>& no_color) {
  const ScopedNoColor scope(no_color);
  Terminal terminal;
  const UniqueFd before(dup(STDERR_FILENO));
  EXPECT_EQ(dup2(terminal.fd(), STDERR_FILENO), STDERR_FILENO);
  Logger({}).write(LogLevel::kError, "trouble");
  EXPECT_EQ(dup2(before.get(), STDERR_FILENO), STDERR_FILENO);
  return terminal.content();
}

TEST(Log, IsColouredOnATerminalUnlessNoColorIsSet) {
  EXPECT_THAT(terminal_output(std::nullopt), ContainsRegex("\033\\[.*error\033\\[m: trouble"));
  EXPECT_THAT(terminal_output(""), HasSubstr("\033["));
  EXPECT_THAT(terminal_output("1"), ContainsRegex(std::string("^") + kTime + "error: trouble"));
}

TEST(Log, WritesToAFileWithTheDate) {
  const TempDir dir;
  const auto file = dir.path() / "rank.log";
  const LogOptions options{
      .rank = 1, .world_size = 2, .console = false, .file = file, .file_level = LogLevel::kDebug};
  const auto console = console_output(options, [] {
    LOCKSTEP_LOG(kDebug) << "details";
    LOCKSTEP_LOG(kTrace) << "noise";
  });
  EXPECT_EQ(console, "");
  EXPECT_THAT(read_file(file), ContainsRegex(std::string("^[0-9]+-[0-9]+-[0-9]+ ") + kTime +
                                             "\\[rank 1/2\\] debug: details\n$"));
}

TEST(Log, NamesAFileThatCannotBeOpened) {
  const TempDir dir;
  dir.write("not_a_folder", "");
  try {
    const Logger logger({.file = dir.path() / "not_a_folder" / "rank.log"});
    FAIL() << "opened a log file below a plain file";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kSystem);
    EXPECT_THAT(error.what(), HasSubstr("not_a_folder/rank.log cannot be opened for writing"));
  }
}

TEST(Log, IsOneStatementInsideAnUnbracedIf) {
  const auto text = console_output({}, [] {
    bool reached_else = false;
    // clang-format off
    if (false) LOCKSTEP_LOG(kInfo) << "no"; else reached_else = true;  // NOLINT(readability-braces-around-statements)
    // clang-format on
    EXPECT_TRUE(reached_else);
  });
  EXPECT_EQ(text, "");
}

TEST(Log, KeepsLinesWholeWhenThreadsWriteAtOnce) {
  const auto text = console_output({}, [] {
    const auto shared = std::make_shared<Logger>(LogOptions{});
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([shared] {
        const ScopedLogger scope(shared);
        for (int line = 0; line < 100; ++line) {
          LOCKSTEP_LOG(kInfo) << "a line that must stay in one piece";
        }
      });
    }
    for (auto& thread : threads) {
      thread.join();
    }
  });
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_THAT(line, ContainsRegex(std::string("^") + kTime + "info: a line that must stay in one piece$"));
  }
  EXPECT_EQ(count, 400);
}

TEST(Log, GivesEachThreadItsOwnScopedLogger) {
  ::testing::internal::CaptureStderr();
  const ScopedLogger outer(std::make_shared<Logger>(LogOptions{.rank = 0, .world_size = 2}));
  std::thread([] {
    const ScopedLogger inner(std::make_shared<Logger>(LogOptions{.rank = 1, .world_size = 2}));
    LOCKSTEP_LOG(kWarning) << "from the thread";
  }).join();
  LOCKSTEP_LOG(kWarning) << "from the test";
  const auto text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("[rank 1/2] warning: from the thread"));
  EXPECT_THAT(text, HasSubstr("[rank 0/2] warning: from the test"));
}

TEST(Log, ReplacesTheProcessLoggerWhileOthersWrite) {
  ::testing::internal::CaptureStderr();
  std::thread writer([] {
    for (int line = 0; line < 200; ++line) {
      LOCKSTEP_LOG(kWarning) << "still here";
    }
  });
  for (int rank = 0; rank < 8; ++rank) {
    set_process_logger({.rank = rank, .world_size = 8});
  }
  writer.join();
  LOCKSTEP_LOG(kWarning) << "last";
  const auto text = ::testing::internal::GetCapturedStderr();
  set_process_logger({});
  EXPECT_THAT(text, HasSubstr("[rank 7/8] warning: last"));
}

TEST(LogLevel, IsReadAsItIsWritten) {
  for (const auto level : {LogLevel::kTrace, LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning,
                           LogLevel::kError, LogLevel::kOff}) {
    EXPECT_EQ(parse_log_level(to_string(level)), level);
  }
  EXPECT_EQ(parse_log_level("loud"), std::nullopt);
}

}  // namespace
}  // namespace lockstep
