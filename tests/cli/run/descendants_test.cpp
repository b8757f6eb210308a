#include "cli/run/descendants.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

#include "base/unique_fd.h"
#include "support/survivor_check.h"

namespace lockstep::run {
namespace {

using namespace std::chrono_literals;

Deadline patience() {
  return Deadline::after(20s);
}

[[noreturn]] void wait_for_ever() {
  for (;;) {
    pause();
  }
}

// A child that starts `depth` more below it, each in a session of its own and without care for polite signals, and
// says so when all are there.
void start_line(int depth) {
  Pipe ready = Pipe::create();
  const pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < depth && fork() == 0; ++i) {
      setsid();
    }
    ::signal(SIGTERM, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);
    [[maybe_unused]] const auto written = write(ready.write.get(), "x", 1);
    wait_for_ever();
  }
  char byte = 0;
  for (int i = 0; i <= depth; ++i) {
    ASSERT_EQ(read(ready.read.get(), &byte, 1), 1);
  }
}

TEST(KillDescendants, IsDoneAtOnceWhenThereAreNone) {
  EXPECT_TRUE(kill_descendants(Deadline::after(0ns)));
}

TEST(KillDescendants, FindsThemHoweverFarDown) {
  testing::SurvivorCheck survivors;
  adopt_orphans();
  start_line(5);
  start_line(0);
  EXPECT_TRUE(kill_descendants(patience()));
  survivors.expect_nobody_left();
}

TEST(KillDescendants, FindsOneWithParenthesesInItsName) {
  testing::SurvivorCheck survivors;
  Pipe ready = Pipe::create();
  if (fork() == 0) {
    pthread_setname_np(pthread_self(), ") S 1 (");
    [[maybe_unused]] const auto written = write(ready.write.get(), "x", 1);
    wait_for_ever();
  }
  char byte = 0;
  ASSERT_EQ(read(ready.read.get(), &byte, 1), 1);
  EXPECT_TRUE(kill_descendants(patience()));
  survivors.expect_nobody_left();
}

TEST(ReapAdopted, TakesOrphansThatHaveEndedAndLeavesChildrenOfOthers) {
  adopt_orphans();
  const pid_t own = fork();
  if (own == 0) {
    wait_for_ever();
  }
  const pid_t middle = fork();
  if (middle == 0) {
    if (fork() == 0) {
      _exit(0);  // the orphan-to-be
    }
    _exit(0);
  }
  ASSERT_EQ(waitpid(middle, nullptr, 0), middle);
  siginfo_t orphan{};
  ASSERT_EQ(waitid(P_ALL, 0, &orphan, WEXITED | WNOWAIT), 0);
  EXPECT_NE(orphan.si_pid, own);
  reap_adopted({own});
  EXPECT_EQ(kill(orphan.si_pid, 0), -1);
  EXPECT_EQ(kill(own, 0), 0);

  kill(own, SIGKILL);
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(own), &ended, WEXITED | WNOWAIT), 0);
  reap_adopted({own});
  EXPECT_EQ(waitpid(own, nullptr, 0), own);  // it is still there for its owner
}

}  // namespace
}  // namespace lockstep::run
