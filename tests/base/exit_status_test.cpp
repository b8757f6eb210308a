#include "base/exit_status.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace lockstep {
namespace {

// The status of a forked process that runs `body`, which does not return.
template <class Body>
ExitStatus status_of(Body body) {
  const pid_t pid = fork();
  if (pid == 0) {
    body();
  }
  siginfo_t info{};
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED), 0);
  return ExitStatus::from_siginfo(info);
}

TEST(ExitStatus, IsOkForCodeZero) {
  const ExitStatus status = status_of([] { _exit(0); });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.shell_code(), 0);
  EXPECT_EQ(status.describe(), "exited with code 0");
}

TEST(ExitStatus, HasTheCodeOfAProcessThatExited) {
  for (const int code : {1, 3, 255}) {
    const ExitStatus status = status_of([code] { _exit(code); });
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.exit_code, code);
    EXPECT_EQ(status.signal, 0);
    EXPECT_EQ(status.shell_code(), code);
    EXPECT_EQ(status.describe(), "exited with code " + std::to_string(code));
  }
}

TEST(ExitStatus, HasTheSignalOfAProcessThatWasKilled) {
  const ExitStatus status = status_of([] {
    raise(SIGKILL);
    _exit(0);
  });
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.signal, SIGKILL);
  EXPECT_FALSE(status.dumped_core);
  EXPECT_EQ(status.shell_code(), 137);
  EXPECT_EQ(status.describe(), "was killed by SIGKILL");
}

TEST(ExitStatus, TellsACoreDump) {
  siginfo_t info{};
  info.si_code = CLD_DUMPED;
  info.si_status = SIGABRT;
  const ExitStatus status = ExitStatus::from_siginfo(info);
  EXPECT_TRUE(status.dumped_core);
  EXPECT_EQ(status.describe(), "was killed by SIGABRT (core dumped)");
}

TEST(ExitStatus, NumbersASignalWithoutAName) {
  siginfo_t info{};
  info.si_code = CLD_KILLED;
  info.si_status = 40;
  EXPECT_EQ(ExitStatus::from_siginfo(info).describe(), "was killed by signal 40");
}

}  // namespace
}  // namespace lockstep
