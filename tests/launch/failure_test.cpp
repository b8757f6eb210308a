#include "lockstep/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/temp_dir.h"
#include "job/error_record.h"
#include "launch/backtrace.h"
#include "launch/failure_report.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

using ::testing::ExitedWithCode;
using ::testing::HasSubstr;
using ::testing::KilledBySignal;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

// Of several failures of a process only the first counts, so each test fails in a process of its own: EXPECT_EXIT.
class FailureTest : public ::testing::Test {
 protected:
  FailureTest() { setenv("TORCHELASTIC_ERROR_FILE", file_.c_str(), 1); }
  ~FailureTest() override { unsetenv("TORCHELASTIC_ERROR_FILE"); }

  std::optional<ErrorRecord> record() const {
    std::ifstream file(file_);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return parse_error_record(text);
  }

  const TempDir folder_;
  const std::filesystem::path file_ = folder_.path() / "error.json";
};

[[noreturn]] void throw_chain() {
  try {
    throw std::runtime_error("the disk is gone");
  } catch (...) {
    throw Error(ErrorCode::kCorrupt, "cannot read the data")
        .with_peer(3)
        .with_cause(std::current_exception());
  }
}

// Without letting the test go on in the child.
int guarded(const std::function<int()>& program) {
  _exit(guard_main(program));
}

TEST_F(FailureTest, IsReportedWithItsChain) {
  EXPECT_EXIT(guarded([]() -> int { throw_chain(); }), ExitedWithCode(1), "caused by: the disk is gone");
  const auto found = record();
  ASSERT_TRUE(found);
  EXPECT_THAT(found->message, HasSubstr("corrupt data: cannot read the data\n  caused by: the disk is gone"));
  EXPECT_EQ(found->code, "corrupt data");
  EXPECT_EQ(found->peer, 3);
  EXPECT_FALSE(found->is_consequence());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  EXPECT_LE(found->time, now);
  EXPECT_GT(found->time, now - std::chrono::minutes(5));
}

TEST_F(FailureTest, IsReportedForExceptionsOfAllKinds) {
  EXPECT_EXIT(guarded([]() -> int { throw std::out_of_range("index 7"); }), ExitedWithCode(1), "index 7");
  EXPECT_EQ(record()->message, "index 7");
  EXPECT_EQ(record()->code, "");
  EXPECT_EXIT(guarded([]() -> int { throw 42; }), ExitedWithCode(1), "unknown exception");
  EXPECT_EQ(record()->message, "unknown exception");
}

TEST_F(FailureTest, IsReportedWhenNobodyCatchesIt) {
  EXPECT_EXIT(
      {
        report_escaping_exceptions(5);
        std::thread([] { throw_chain(); }).join();
      },
      KilledBySignal(SIGABRT), "error: uncaught exception: with peer 3: corrupt data: cannot read the data");
  const auto found = record();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 5);
  EXPECT_EQ(found->code, "corrupt data");
  EXPECT_THAT(found->details, StartsWith(found->message + "\n\nwhere it was thrown:\n#0 "));
}

// As libtorch's exceptions come.
[[noreturn]] void throw_with_frames() {
  throw std::runtime_error(
      "shapes differ\nException raised from f at a.cpp:1 (most recent call first):\nframe #0: g\n");
}

TEST_F(FailureTest, IsShortOnTheTerminalAndWholeInTheFile) {
  const auto last_line =
      ::testing::AllOf(HasSubstr(": shapes differ\n"), ::testing::Not(HasSubstr("frame #")),
                       ::testing::Not(HasSubstr("terminate called")));
  EXPECT_EXIT(guarded([]() -> int { throw_with_frames(); }), ExitedWithCode(1), last_line);
  EXPECT_EXIT(
      {
        report_escaping_exceptions(1);
        std::thread(throw_with_frames).join();
      },
      KilledBySignal(SIGABRT), last_line);
  EXPECT_EQ(record()->message, "shapes differ");
  EXPECT_THAT(record()->details, HasSubstr("\nframe #0: g\n"));
}

TEST_F(FailureTest, IsLeftToTheProgramsOwnTerminateHandler) {
  EXPECT_EXIT(
      {
        std::set_terminate([] { _exit(42); });
        report_escaping_exceptions(1);
        std::terminate();
      },
      ExitedWithCode(42), "^$");
  EXPECT_TRUE(record());
}

TEST_F(FailureTest, IsReportedWithoutAnException) {
  EXPECT_EXIT(
      {
        report_escaping_exceptions(0);
        std::terminate();
      },
      KilledBySignal(SIGABRT), "");
  EXPECT_EQ(record()->message, "std::terminate() was called, and no exception was there");
}

TEST_F(FailureTest, CountsOnceAndTheFirst) {
  EXPECT_EXIT(
      {
        report_failure(std::make_exception_ptr(std::runtime_error("first")));
        report_failure(std::make_exception_ptr(std::runtime_error("second")));
        guarded([]() -> int { throw std::runtime_error("third"); });
      },
      ExitedWithCode(1), "third");
  EXPECT_EQ(record()->message, "first");
}

TEST_F(FailureTest, BecomesAnExitCodeThatTellsWhatToDo) {
  EXPECT_EXIT(guarded([] { return 7; }), ExitedWithCode(7), "");
  EXPECT_EXIT(guarded([]() -> int { throw Error(ErrorCode::kInvalidConfig, "no such backend"); }),
              ExitedWithCode(2), "no such backend");
  EXPECT_EXIT(guarded([]() -> int {
                throw Error(ErrorCode::kTimeout, "rank 1 did not come").with_operation("join");
              }),
              ExitedWithCode(kExitTryAgain), "rank 1 did not come");
  EXPECT_EXIT(guarded([]() -> int { throw Error(ErrorCode::kTimeout, "late").with_operation("all_reduce"); }),
              ExitedWithCode(1), "late");
}

TEST_F(FailureTest, LeavesNoFileWhenThereIsNone) {
  EXPECT_EXIT(guarded([] { return 0; }), ExitedWithCode(0), "");
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(FailureTest, LeavesNoFileWithoutALauncher) {
  for (const bool is_empty : {false, true}) {
    if (is_empty) {
      setenv("TORCHELASTIC_ERROR_FILE", "", 1);
    } else {
      unsetenv("TORCHELASTIC_ERROR_FILE");
    }
    EXPECT_EXIT(guarded([]() -> int { throw std::runtime_error("bad"); }), ExitedWithCode(1), "bad");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(FailureTest, IsNoWorseWhenTheFileCannotBeWritten) {
  setenv("TORCHELASTIC_ERROR_FILE", "/no/such/folder/error.json", 1);
  EXPECT_EXIT(guarded([]() -> int { throw std::runtime_error("bad"); }), ExitedWithCode(1), "bad");
  setenv("TORCHELASTIC_ERROR_FILE", "/dev/full", 1);
  EXPECT_EXIT(guarded([]() -> int { throw std::runtime_error("bad"); }), ExitedWithCode(1), "bad");
}

TEST(Backtrace, HasALineForEveryFrame) {
  const std::string text = backtrace_text(0);
  EXPECT_THAT(text, StartsWith("#0 "));
  EXPECT_THAT(text, HasSubstr("\n#1 "));
  EXPECT_THAT(text, HasSubstr("launch_test+0x"));
  EXPECT_EQ(text.back(), '\n');
}

TEST(Backtrace, LeavesOutFramesIfAsked) {
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(backtrace_text(0)), lines(backtrace_text(2)) + 2);
}

}  // namespace
}  // namespace lockstep
