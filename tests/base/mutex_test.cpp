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
  std::thread setter;
  {
    const MutexLock lock(mutex);
    setter = std::thread([&] {
      const MutexLock while_it_sleeps(mutex);
      ready = true;
      changed.notify_one();
    });
    const Deadline deadline = Deadline::after(30s);
    EXPECT_TRUE(changed.wait_until(mutex, deadline, [&] { return ready; }));
    EXPECT_FALSE(deadline.expired()) << "it was not woken, it looked again when its time was up";
  }
  setter.join();
}

// The undefined-behaviour sanitizer would see the end of the wait wrap.
TEST(CondVar, TakesADeadlineThatIsVeryFarAway) {
  Mutex mutex;
  CondVar changed;
  bool ready = false;
  std::thread setter;
  {
    const MutexLock lock(mutex);
    setter = std::thread([&] {
      const MutexLock while_it_sleeps(mutex);
      ready = true;
      changed.notify_all();
    });
    const Deadline never = Deadline::after(std::chrono::nanoseconds::max());
    EXPECT_TRUE(changed.wait_until(mutex, never, [&] { return ready; }));
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
  std::thread mover;
  {
    const MutexLock lock(mutex);
    mover = std::thread([&] {
      const MutexLock while_it_sleeps(mutex);
      clock.advance(2h);
    });
    EXPECT_FALSE(changed.wait_until(mutex, Deadline::after(1h, clock), [] { return false; }));
  }
  mover.join();
}

}  // namespace
}  // namespace lockstep
