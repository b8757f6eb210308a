#include "base/subprocess.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/temp_dir.h"
#include "lockstep/error.h"
#include "support/process_list.h"
#include "support/process_watch.h"
#include "support/scoped_variable.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using testing::ProcessEntry;
using testing::ProcessWatch;
using testing::ScopedVariable;

// Ten seconds: no test waits for it to pass.
Deadline soon() {
  return Deadline::after(seconds(10));
}

std::string output_of(const std::vector<std::string>& argv, const SubprocessOptions& options = {}) {
  const auto done = run_subprocess(argv, options, soon());
  EXPECT_TRUE(done.status.ok()) << done.status.describe() << ": " << done.standard_error;
  return done.standard_output;
}

template <class Body>
Error error_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::kInternal, "no error"};
}

std::string read_line(const UniqueFd& fd) {
  std::string line;
  char c = 0;
  while (read(fd.get(), &c, 1) == 1 && c != '\n') {
    line += c;
  }
  return line;
}

// A pipe whose writing end a child and all its descendants may hold, and none of them closes while it lives.
struct Lifeline {
  Pipe pipe = Pipe::create();

  bool ends_by(const Deadline& deadline) {
    pipe.write.reset();
    pollfd end{.fd = pipe.read.get(), .events = 0, .revents = 0};
    return poll(&end, 1, deadline.poll_timeout_ms()) == 1;
  }
};

fs::path write_program(const TempDir& directory, std::string_view name, std::string_view content,
                       mode_t mode) {
  fs::path file = directory.write(name, content);
  EXPECT_EQ(chmod(file.c_str(), mode), 0);
  return file;
}

TEST(Subprocess, NeedsAProgramName) {
  EXPECT_STREQ(error_of([] { Subprocess::spawn({}); }).what(),
               "invalid argument: a subprocess needs a program name");
}

TEST(Subprocess, SaysWhenThereIsNoSuchProgram) {
  for (const std::string name : {"no-such-program", "/no/such/program", "/etc/passwd/program", ""}) {
    const Error error = error_of([&] { Subprocess::spawn({name}); });
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_EQ(error.message(), "there is no program '" + name + "'");
  }
}

TEST(Subprocess, SaysWhenAFileMayNotBeExecuted) {
  const TempDir directory;
  const fs::path file = write_program(directory, "program", "#!/bin/sh\n", 0644);
  const Error error = error_of([&] { Subprocess::spawn({file.string()}); });
  EXPECT_EQ(error.code(), ErrorCode::kSystem);
  EXPECT_EQ(error.message(), "cannot start " + file.string() + ": Permission denied");
}

TEST(Subprocess, DoesNotHandAFileItCannotRunToAShell) {
  const TempDir directory;
  const fs::path file = write_program(directory, "program", "echo I ran\n", 0755);
  EXPECT_EQ(error_of([&] { Subprocess::spawn({file.string()}); }).message(),
            "cannot start " + file.string() + ": Exec format error");
}

TEST(Subprocess, TakesTheFirstProgramInPathThatCanBeRun) {
  const TempDir first;
  const TempDir second;
  const TempDir third;
  write_program(first, "tool", "#!/bin/sh\necho first\n", 0644);
  write_program(second, "tool", "#!/bin/sh\necho second\n", 0755);
  write_program(third, "tool", "#!/bin/sh\necho third\n", 0755);
  const ScopedVariable path("PATH", "/no/such/folder:" + first.path().string() + ":" +
                                        second.path().string() + ":" + third.path().string());
  EXPECT_EQ(output_of({"tool"}), "second\n");
}

TEST(Subprocess, SaysWhenTheOnlyProgramInPathCannotBeRun) {
  const TempDir directory;
  write_program(directory, "tool", "#!/bin/sh\n", 0644);
  const ScopedVariable path("PATH", directory.path().string() + ":/no/such/folder");
  EXPECT_EQ(error_of([] { Subprocess::spawn({"tool"}); }).message(), "cannot start tool: Permission denied");
}

TEST(Subprocess, LooksInTheUsualPlacesWithoutPath) {
  const ScopedVariable path("PATH", std::nullopt);
  EXPECT_EQ(output_of({"echo", "found"}), "found\n");
}

TEST(Subprocess, HasTheStatusOfItsProgram) {
  EXPECT_TRUE(run_subprocess({"true"}, {}, soon()).status.ok());
  EXPECT_EQ(run_subprocess({"sh", "-c", "exit 3"}, {}, soon()).status.exit_code, 3);
  EXPECT_EQ(run_subprocess({"sh", "-c", "kill -TERM $$"}, {}, soon()).status.signal, SIGTERM);
}

TEST(Subprocess, KeepsItsStatus) {
  Subprocess child = Subprocess::spawn({"sh", "-c", "exit 3"});
  EXPECT_EQ(child.wait(soon())->exit_code, 3);
  EXPECT_EQ(child.poll()->exit_code, 3);
  EXPECT_EQ(child.wait(Deadline::after(seconds(0)))->exit_code, 3);
}

TEST(Subprocess, HasNoStatusWhileItRuns) {
  Subprocess child = Subprocess::spawn({"sleep", "1000"});
  EXPECT_FALSE(child.poll().has_value());
  EXPECT_FALSE(child.wait(Deadline::after(milliseconds(1))).has_value());
  EXPECT_FALSE(ProcessWatch(child.pid()).wait_for_end(Deadline::after(seconds(0))));
}

TEST(Subprocess, MakesItsPidfdReadableAtTheEnd) {
  const Subprocess child = Subprocess::spawn({"true"});
  pollfd ended{.fd = child.pidfd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&ended, 1, soon().poll_timeout_ms()), 1);
}

TEST(Subprocess, PassesArgumentsAsTheyAre) {
  EXPECT_EQ(output_of({"printf", "%s|", "$HOME", "`id`; exit 1", "*", "a  b", "", "> file", "\"'\\"}),
            "$HOME|`id`; exit 1|*|a  b||> file|\"'\\|");
}

TEST(Subprocess, SetsReplacesAndRemovesVariables) {
  const ScopedVariable kept("LOCKSTEP_TEST_KEPT", "kept");
  const ScopedVariable replaced("LOCKSTEP_TEST_REPLACED", "old");
  const ScopedVariable removed("LOCKSTEP_TEST_REMOVED", "there");
  const SubprocessOptions options{.environment = {{"LOCKSTEP_TEST_REPLACED", "new"},
                                                  {"LOCKSTEP_TEST_REMOVED", std::nullopt},
                                                  {"LOCKSTEP_TEST_ADDED", "a=b c"},
                                                  {"LOCKSTEP_TEST_EMPTY", ""}}};
  EXPECT_EQ(output_of({"sh", "-c", "env | grep ^LOCKSTEP_TEST_ | sort"}, options),
            "LOCKSTEP_TEST_ADDED=a=b c\n"
            "LOCKSTEP_TEST_EMPTY=\n"
            "LOCKSTEP_TEST_KEPT=kept\n"
            "LOCKSTEP_TEST_REPLACED=new\n");
  EXPECT_STREQ(std::getenv("LOCKSTEP_TEST_REPLACED"), "old");
}

TEST(Subprocess, RunsInItsWorkingDirectory) {
  const TempDir directory;
  EXPECT_EQ(output_of({"pwd", "-P"}, {.working_directory = directory.path()}),
            fs::canonical(directory.path()).string() + "\n");
}

TEST(Subprocess, SaysWhenItsWorkingDirectoryIsMissing) {
  const Error error = error_of([] { Subprocess::spawn({"true"}, {.working_directory = "/no/such/folder"}); });
  EXPECT_EQ(error.code(), ErrorCode::kSystem);
  EXPECT_EQ(error.message(), "cannot start true in /no/such/folder: No such file or directory");
}

TEST(Subprocess, ReadsNothingByDefault) {
  EXPECT_EQ(output_of({"readlink", "/proc/self/fd/0"}), "/dev/null\n");
}

TEST(Subprocess, ReadsTheParentsInputIfAsked) {
  const UniqueFd saved(dup(STDIN_FILENO));
  Pipe pipe = Pipe::create();
  ASSERT_EQ(write(pipe.write.get(), "hello", 5), 5);
  pipe.write.reset();
  dup2(pipe.read.get(), STDIN_FILENO);
  EXPECT_EQ(output_of({"cat"}, {.inherit_standard_input = true}), "hello");
  dup2(saved.get(), STDIN_FILENO);
}

TEST(Subprocess, PrintsWhereTheParentDoesByDefault) {
  ::testing::internal::CaptureStdout();
  Subprocess child = Subprocess::spawn({"echo", "hello"});
  EXPECT_TRUE(child.wait(soon())->ok());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "hello\n");
  EXPECT_FALSE(child.standard_output());
  EXPECT_FALSE(child.standard_error());
}

TEST(Subprocess, PrintsToNowhereIfAsked) {
  Subprocess child = Subprocess::spawn(
      {"sleep", "1000"}, {.standard_output = StreamTarget::kNull, .standard_error = StreamTarget::kNull});
  const fs::path descriptors = fs::path("/proc") / std::to_string(child.pid()) / "fd";
  EXPECT_EQ(fs::read_symlink(descriptors / "1"), "/dev/null");
  EXPECT_EQ(fs::read_symlink(descriptors / "2"), "/dev/null");
  EXPECT_FALSE(child.standard_output());
  EXPECT_FALSE(child.standard_error());
}

TEST(Subprocess, WorksWhenTheParentHasNoStandardStreams) {
  EXPECT_EXIT(
      {
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        const auto done = run_subprocess({"sh", "-c", "readlink /proc/self/fd/0; echo err >&2"}, {}, soon());
        const bool as_ever =
            done.status.ok() && done.standard_output == "/dev/null\n" && done.standard_error == "err\n";
        _exit(as_ever ? 7 : 1);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST(Subprocess, GetsNoDescriptorOfTheParents) {
  const UniqueFd left_open(fcntl(STDERR_FILENO, F_DUPFD, 100));  // not close-on-exec, as some libraries do it
  ASSERT_EQ(fcntl(left_open.get(), F_GETFD), 0);
  EXPECT_EQ(output_of({"ls", "/proc/self/fd"}), "0\n1\n2\n3\n");  // 3 is ls reading the folder
}

TEST(Subprocess, GetsTheDescriptorsItIsGiven) {
  const Pipe pipe = Pipe::create();
  const UniqueFd given(fcntl(pipe.write.get(), F_DUPFD_CLOEXEC, 100));
  const SubprocessOptions options{.inherited_fds = {given.get()}};
  const std::string number = std::to_string(given.get());
  EXPECT_EQ(output_of({"ls", "/proc/self/fd"}, options), "0\n1\n" + number + "\n2\n3\n");
  output_of({"sh", "-c", "echo hello > /proc/self/fd/" + number}, options);
  EXPECT_EQ(read_line(pipe.read), "hello");
  EXPECT_EQ(fcntl(given.get(), F_GETFD), FD_CLOEXEC);  // the parent's is as it was
}

TEST(Subprocess, SaysWhenADescriptorCannotBePassedOn) {
  const Error error = error_of([] { Subprocess::spawn({"true"}, {.inherited_fds = {987'654}}); });
  EXPECT_EQ(error.code(), ErrorCode::kSystem);
  EXPECT_EQ(error.message(), "cannot pass a descriptor on to true: Bad file descriptor");
}

TEST(Subprocess, StartsWithoutTheParentsSignalMask) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGUSR1);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &blocked, nullptr), 0);
  const auto previous = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(output_of({"grep", "SigBlk", "/proc/self/status"}), "SigBlk:\t0000000000000000\n");
  const std::string ignored = output_of({"sed", "-n", "s/SigIgn:.//p", "/proc/self/status"});
  EXPECT_EQ(std::stoull(ignored, nullptr, 16) & (1ULL << (SIGPIPE - 1)), 0U);
  std::signal(SIGPIPE, previous);

  sigset_t now;
  ASSERT_EQ(pthread_sigmask(SIG_UNBLOCK, &blocked, &now), 0);
  EXPECT_EQ(sigismember(&now, SIGTERM), 1);  // the parent kept its own
  EXPECT_EQ(sigismember(&now, SIGINT), 0);
}

TEST(Subprocess, LeadsAGroupOfItsOwn) {
  const Subprocess child = Subprocess::spawn({"sleep", "1000"});
  EXPECT_EQ(getpgid(child.pid()), child.pid());
}

TEST(Subprocess, SendsSignalsToItsWholeGroup) {
  Subprocess child =
      Subprocess::spawn({"sh", "-c", "sleep 1000 & echo $!; wait"}, {.standard_output = StreamTarget::kPipe});
  const ProcessWatch grandchild(std::stoi(read_line(child.standard_output())));
  EXPECT_FALSE(grandchild.wait_for_end(Deadline::after(seconds(0))));
  child.signal(SIGTERM);
  EXPECT_TRUE(grandchild.wait_for_end(soon()));
  EXPECT_EQ(child.wait(soon())->signal, SIGTERM);
  child.signal(SIGTERM);  // has no effect any more
}

TEST(Subprocess, KillsItsGroupWhenItGoesAway) {
  Lifeline lifeline;
  pid_t pid = 0;
  {
    Subprocess child = Subprocess::spawn(
        {"sh", "-c", "trap '' TERM; sleep 1000 & echo ready; wait"},
        {.standard_output = StreamTarget::kPipe, .inherited_fds = {lifeline.pipe.write.get()}});
    pid = child.pid();
    EXPECT_EQ(read_line(child.standard_output()), "ready");
  }
  EXPECT_TRUE(lifeline.ends_by(soon()));
  EXPECT_EQ(kill(pid, 0), -1);  // reaped
}

TEST(Subprocess, MovesWithAllItHas) {
  Subprocess first =
      Subprocess::spawn({"sh", "-c", "echo hello; exit 3"}, {.standard_output = StreamTarget::kPipe});
  const pid_t pid = first.pid();
  Subprocess second = std::move(first);
  EXPECT_EQ(second.pid(), pid);
  EXPECT_EQ(read_line(second.standard_output()), "hello");
  EXPECT_EQ(second.wait(soon())->exit_code, 3);
  Subprocess third = std::move(second);
  EXPECT_EQ(third.poll()->exit_code, 3);

  EXPECT_EQ(first.pid(), -1);  // NOLINT(bugprone-use-after-move): this is what is tested
  EXPECT_FALSE(first.poll().has_value());
  first.signal(SIGKILL);
}

TEST(Subprocess, KillsWhatIsMovedOver) {
  Subprocess child = Subprocess::spawn({"sleep", "1000"});
  const ProcessWatch old(child.pid());
  child = Subprocess::spawn({"sleep", "1000"});
  EXPECT_TRUE(old.wait_for_end(Deadline::after(seconds(0))));
  EXPECT_FALSE(child.poll().has_value());
}

// Runs `body` in a process that is killed as soon as body has returned, and reaped.
template <class Body>
void in_a_process_that_is_killed(Body body) {
  Pipe done = Pipe::create();
  const pid_t pid = fork();
  if (pid == 0) {
    const auto kept = body();
    [[maybe_unused]] const auto written = write(done.write.get(), "\n", 1);
    for (;;) {
      pause();
    }
  }
  read_line(done.read);
  kill(pid, SIGKILL);
  EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
}

TEST(Subprocess, DiesWithItsParent) {
  Lifeline lifeline;
  in_a_process_that_is_killed([&] {
    lifeline.pipe.read.reset();
    return Subprocess::spawn({"sleep", "1000"}, {.inherited_fds = {lifeline.pipe.write.get()}});
  });
  EXPECT_TRUE(lifeline.ends_by(soon()));
}

TEST(Subprocess, OutlivesItsParentIfAsked) {
  Pipe to_child = Pipe::create();
  Pipe from_child = Pipe::create();
  in_a_process_that_is_killed([&] {
    dup2(to_child.read.get(), STDIN_FILENO);
    dup2(from_child.write.get(), STDOUT_FILENO);
    return Subprocess::spawn({"cat"}, {.inherit_standard_input = true, .parent_death_signal = 0});
  });
  ASSERT_EQ(write(to_child.write.get(), "alive\n", 6), 6);
  from_child.write.reset();
  EXPECT_EQ(read_line(from_child.read), "alive");
  to_child.write.reset();                     // the end of its input ends it
  EXPECT_EQ(read_line(from_child.read), "");  // and only then its output
}

TEST(RunSubprocess, CollectsBothStreams) {
  const auto done = run_subprocess({"sh", "-c", "echo out; echo err >&2; printf end"}, {}, soon());
  EXPECT_EQ(done.standard_output, "out\nend");
  EXPECT_EQ(done.standard_error, "err\n");
}

TEST(RunSubprocess, CollectsMuchOfBothAtOnce) {
  const auto done = run_subprocess(
      {"sh", "-c", "head -c 3000000 /dev/zero >&2 & head -c 3000000 /dev/zero; wait; echo end >&2; echo end"},
      {}, soon());
  EXPECT_EQ(done.standard_output, std::string(3'000'000, '\0') + "end\n");
  EXPECT_EQ(done.standard_error, std::string(3'000'000, '\0') + "end\n");
}

TEST(RunSubprocess, WaitsForAProgramThatClosesItsStreams) {
  EXPECT_EQ(run_subprocess({"sh", "-c", "exec >&- 2>&-; exit 3"}, {}, soon()).status.exit_code, 3);
}

TEST(RunSubprocess, BoundsTheOutput) {
  const auto run = [](const char* bytes) {
    return run_subprocess({"head", "-c", bytes, "/dev/zero"}, {}, soon(), 1000);
  };
  EXPECT_EQ(run("1000").standard_output.size(), 1000U);
  const Error error = error_of([&] { run("1001"); });
  EXPECT_EQ(error.code(), ErrorCode::kResourceExhausted);
  EXPECT_THAT(error.message(), MatchesRegex("'head' \\(process [0-9]+\\) printed more than 1000 bytes"));
}

TEST(RunSubprocess, KillsAProgramThatPrintsTooMuch) {
  Lifeline lifeline;
  const Error error = error_of([&] {
    run_subprocess({"sh", "-c", "yes >&2"}, {.inherited_fds = {lifeline.pipe.write.get()}}, soon(), 1 << 20);
  });
  EXPECT_EQ(error.code(), ErrorCode::kResourceExhausted);
  EXPECT_TRUE(lifeline.ends_by(soon()));
}

TEST(RunSubprocess, KillsTheWholeGroupAtTheDeadline) {
  Lifeline lifeline;
  const Error error = error_of([&] {
    run_subprocess({"sh", "-c", "trap '' TERM; sleep 1000 & sleep 1000 & wait"},
                   {.inherited_fds = {lifeline.pipe.write.get()}}, Deadline::after(milliseconds(50)));
  });
  EXPECT_EQ(error.code(), ErrorCode::kTimeout);
  EXPECT_THAT(error.message(), MatchesRegex("'sh' \\(process [0-9]+\\) did not end"));
  EXPECT_GE(error.elapsed(), milliseconds(50));
  EXPECT_TRUE(lifeline.ends_by(soon()));
}

TEST(RunSubprocess, HoldsTheDeadlineWhileThereIsOutput) {
  const Error error =
      error_of([] { run_subprocess({"yes"}, {}, Deadline::after(milliseconds(20)), 1 << 30); });
  EXPECT_EQ(error.code(), ErrorCode::kTimeout);
}

// Stands still until a child of this process has ended, and is then an hour ahead.
class UntilAChildHasEnded final : public Clock {
 public:
  Time now() const override {
    const auto processes = testing::list_processes();
    const bool ended = std::any_of(processes.begin(), processes.end(), [](const ProcessEntry& process) {
      return process.parent == getpid() && process.state == 'Z';
    });
    return Time(ended ? hours(1) : hours(0));
  }
};

TEST(RunSubprocess, SaysWhenALeftoverKeepsTheOutputOpen) {
  Lifeline lifeline;
  const UntilAChildHasEnded clock;
  const Error error = error_of([&] {
    run_subprocess({"sh", "-c", "sleep 1000 &"}, {.inherited_fds = {lifeline.pipe.write.get()}},
                   Deadline::after(milliseconds(10), clock));
  });
  EXPECT_EQ(error.code(), ErrorCode::kTimeout);
  EXPECT_THAT(error.message(), HasSubstr(" ended, but a process it started keeps its output open"));
  EXPECT_TRUE(lifeline.ends_by(soon()));
}

}  // namespace
}  // namespace lockstep
