#pragma once

// A mutex, its scoped lock and a condition variable that clang's thread-safety analysis understands. Fields
// say which mutex guards them:
//
//   Mutex mutex_;
//   std::deque<Job> jobs_ LOCKSTEP_GUARDED_BY(mutex_);

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/deadline.h"
#include "base/thread_annotations.h"

namespace lockstep {

class LOCKSTEP_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() LOCKSTEP_ACQUIRE() { mutex_.lock(); }
  void unlock() LOCKSTEP_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;

  std::mutex mutex_;
};

class LOCKSTEP_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) LOCKSTEP_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() LOCKSTEP_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

  // Waits until `ready()` holds (true) or the deadline expires (false). `ready` runs with the mutex held; its
  // annotation must say so: [this]() LOCKSTEP_REQUIRES(mutex_) { return !jobs_.empty(); } (The analysis checks callers
  // and `ready` itself; in here it cannot see that `mutex` is the one `ready` names.)
  template <class Ready>
  bool wait_until(Mutex& mutex, const Deadline& deadline, Ready ready)
      LOCKSTEP_REQUIRES(mutex) LOCKSTEP_NO_THREAD_SAFETY_ANALYSIS {
    while (!ready()) {
      const auto remaining = deadline.remaining();
      if (remaining == std::chrono::nanoseconds::zero()) {
        return false;
      }
      wait_once(mutex, std::min(remaining, deadline.on_real_clock() ? kLongestNap : kManualClockNap));
    }
    return true;
  }

 private:
  // A manual clock moves without waking any thread.
  static constexpr std::chrono::nanoseconds kManualClockNap = std::chrono::milliseconds(50);
  // The current time plus a very long remaining time would wrap into the past.
  static constexpr std::chrono::nanoseconds kLongestNap = std::chrono::hours(1);

  // The analysis cannot follow a lock that is adopted and released.
  void wait_once(Mutex& mutex, std::chrono::nanoseconds nap) LOCKSTEP_NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait_for(lock, nap);
    lock.release();
  }

  std::condition_variable condition_;
};

}  // namespace lockstep
