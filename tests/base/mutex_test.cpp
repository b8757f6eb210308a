#include "base/mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace lockstep {
namespace {

using namespace std::chrono_literals;

TEST(Mutex, LetsOneThreadInAtATime) {
  Mutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        const MutexLock lock(mutex);
        ++count;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(count, 4000);
}

TEST(CondVar, WakesWhenTheConditionHolds) {
  Mutex mutex;
  CondVar changed;
  bool ready = false;
  std::thread setter([&] {
    const MutexLock lock(mutex);
    ready = true;
    changed.notify_one();
  });
  {
    const MutexLock lock(mutex);
    EXPECT_TRUE(changed.wait_until(mutex, Deadline::after(1min), [&] { return ready; }));
  }
  setter.join();
}

TEST(CondVar, ReturnsFalseAtTheDeadline) {
  Mutex mutex;
  CondVar changed;
  const MutexLock lock(mutex);
  EXPECT_FALSE(changed.wait_until(mutex, Deadline::after(1ms), [] { return false; }));
}

TEST(CondVar, LooksOnceEvenWhenTheDeadlineHasPassed) {
  Mutex mutex;
  CondVar changed;
  const MutexLock lock(mutex);
  EXPECT_TRUE(changed.wait_until(mutex, Deadline::after(0s), [] { return true; }));
}

TEST(CondVar, NoticesThatAManualClockMoved) {
  ManualClock clock;
  Mutex mutex;
  CondVar changed;
  const Deadline deadline = Deadline::after(1h, clock);
  std::thread mover([&] { clock.advance(2h); });
  {
    const MutexLock lock(mutex);
    EXPECT_FALSE(changed.wait_until(mutex, deadline, [] { return false; }));
  }
  mover.join();
}

}  // namespace
}  // namespace lockstep
