#pragma once

// Advances a bucket queue while the caller computes. Sleeps while nothing is in flight. Its destructor stops it.

#include <cstdint>
#include <thread>

#include "base/fork_mark.h"
#include "base/mutex.h"
#include "reduce/bucket_queue.h"

namespace lockstep {

class ProgressThread {
 public:
  explicit ProgressThread(BucketQueue& queue);
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  // A bucket was released.
  void wake();
  // Returns when the thread has let go of the queue, which it does not touch again until the next wake(). Called before
  // the caller itself waits.
  void rest();

  // Whether this process is a forked child of the one that owns the thread.
  bool is_inherited() const { return mark_.is_inherited(); }

 private:
  void run();

  const ForkMark mark_;
  BucketQueue& queue_;
  Mutex mutex_;
  CondVar changed_;
  bool awake_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::uint64_t wakes_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  bool advancing_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  bool stopping_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses everything above
};

// A forked child has the thread's locks but not the thread, and would wait for it forever.
struct EndInItsProcess {
  void operator()(ProgressThread* thread) const {
    if (thread->is_inherited()) {
      keep_undestroyed(thread);
    } else {
      delete thread;
    }
  }
};

}  // namespace lockstep
