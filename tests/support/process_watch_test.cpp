#include "support/process_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <future>
#include <thread>

#include "base/subprocess.h"
#include "support/process_list.h"
#include "support/survivor_check.h"

namespace lockstep::testing {
namespace {

using std::chrono::seconds;

const Deadline kNow = Deadline::after(seconds(0));

TEST(ProcessWatch, SeesTheEndOfAProcess) {
  Subprocess child = Subprocess::spawn({"sleep", "1000"});
  const ProcessWatch watch(child.pid());
  EXPECT_FALSE(watch.wait_for_end(kNow));
  child.signal(SIGKILL);
  EXPECT_TRUE(watch.wait_for_end(Deadline::after(seconds(10))));
}

TEST(ProcessWatch, TakesAProcessThatIsGoneForEnded) {
  Subprocess child = Subprocess::spawn({"true"});
  ASSERT_TRUE(child.wait(Deadline::after(seconds(10))));
  const ProcessWatch watch(child.pid());
  EXPECT_EQ(watch.fd(), -1);
  EXPECT_TRUE(watch.wait_for_end(kNow));
}

TEST(ProcessGroup, HasEndedWhenAllItsProcessesHave) {
  Subprocess child = Subprocess::spawn({"sh", "-c", "sleep 1000 & sleep 1000"});
  EXPECT_FALSE(wait_for_group_end(child.pid(), kNow));
  child.signal(SIGKILL);
  EXPECT_TRUE(wait_for_group_end(child.pid(), Deadline::after(seconds(10))));
}

TEST(ProcessList, ShowsAChildWithItsParentAndGroup) {
  const Subprocess child = Subprocess::spawn({"sleep", "1000"});
  const auto processes = list_processes();
  const auto found = std::find_if(processes.begin(), processes.end(),
                                  [&](const ProcessEntry& process) { return process.id == child.pid(); });
  ASSERT_NE(found, processes.end());
  EXPECT_EQ(found->parent, getpid());
  EXPECT_EQ(found->group, child.pid());
  EXPECT_FALSE(found->exiting);
}

TEST(ProcessList, ShowsTheThreadsOfThisProcess) {
  const auto before = list_own_threads().size();
  std::promise<void> release;
  std::thread other([&release] { release.get_future().wait(); });
  EXPECT_GT(list_own_threads().size(), before);
  release.set_value();
  other.join();
}

TEST(SurvivorCheck, SeesAProcessThatHides) {
  SurvivorCheck survivors;
  Pipe ready = Pipe::create();
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      setsid();
      for (;;) {
        pause();
      }
    }
    [[maybe_unused]] const auto written = write(ready.write.get(), &grandchild, sizeof grandchild);
    for (;;) {
      pause();
    }
  }
  pid_t grandchild = 0;
  ASSERT_EQ(read(ready.read.get(), &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(survivors.nobody_left(kNow));
  kill(grandchild, SIGKILL);
  EXPECT_TRUE(survivors.nobody_left(Deadline::after(seconds(10))));
}

}  // namespace
}  // namespace lockstep::testing
