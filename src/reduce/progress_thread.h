#pragma once

// Advances a bucket queue while the caller computes. It naps while nothing is under way, and ends with its object.

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

  // Something was released.
  void wake();
  // Returns when the thread has let go of the queue; it stays away until the next wake(). The caller is about to
  // wait itself.
  void rest();

  // Whether this process is a forked child of the one that has the thread.
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

// A forked child has no such thread, but its locks, and would wait for it for ever.
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
