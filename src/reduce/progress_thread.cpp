#include "reduce/progress_thread.h"

namespace lockstep {

ProgressThread::ProgressThread(BucketQueue& queue) : queue_(queue), thread_([this] { run(); }) {}

ProgressThread::~ProgressThread() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ProgressThread::wake() {
  {
    const MutexLock lock(mutex_);
    awake_ = true;
    ++wakes_;
  }
  changed_.notify_all();
}

void ProgressThread::rest() {
  const MutexLock lock(mutex_);
  awake_ = false;
  while (advancing_) {
    changed_.wait_until(mutex_, Deadline::after(std::chrono::seconds(1)),
                        [this]() LOCKSTEP_REQUIRES(mutex_) { return !advancing_; });
  }
}

void ProgressThread::run() {
  mutex_.lock();
  while (!stopping_) {
    if (!awake_) {
      changed_.wait_until(mutex_, Deadline::after(std::chrono::hours(1)),
                          [this]() LOCKSTEP_REQUIRES(mutex_) { return awake_ || stopping_; });
      continue;
    }
    const std::uint64_t seen = wakes_;
    advancing_ = true;
    mutex_.unlock();
    queue_.poll();
    const bool busy = queue_.busy();
    std::this_thread::yield();
    mutex_.lock();
    advancing_ = false;
    awake_ = awake_ && (busy || wakes_ != seen);
    changed_.notify_all();
  }
  mutex_.unlock();
}

}  // namespace lockstep
