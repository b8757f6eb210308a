#pragma once

// The buckets of one step in flight, in order. Called by the thread that computes gradients and by the progress thread;
// the queue admits one at a time. release_next() and check() do not wait for the other thread: the one that computes
// gradients continues while a bucket is being summed.

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "lockstep/bucket_reduction.h"
#include "reduce/all_reduce_bucket.h"

namespace lockstep {

class BucketQueue {
 public:
  explicit BucketQueue(Communicator& communicator) : communicator_(communicator) {}
  ~BucketQueue();

  // Forgets the previous step. The buckets must stay valid until the next call. A bucket without gradients holds
  // counters, which are always all-reduced, whatever the reduction.
  void begin(const std::vector<GradientBucket>& buckets, BucketReduction& reduction);
  // The next bucket in order is full: poll() and wait() start it as soon as the order of collectives permits.
  void release_next() noexcept;
  // Starts and advances what it can; never blocks, and keeps an error for the calls below.
  void poll() noexcept;
  // Waits for all released buckets.
  void wait();
  // Throws the error that poll() kept.
  void check();
  // Abandons the work in flight after an error; the communicator has failed or was aborted.
  void abandon() noexcept;

  bool busy() const;  // some released bucket is not done
  // How many buckets of this step hold their average, whichever thread advances them. Never blocks. Pairs with
  // end_front(): the inputs of these buckets have been read.
  std::size_t done() const { return done_.load(std::memory_order_acquire); }
  std::optional<std::size_t> failed_bucket() const;  // the bucket whose error was kept
  Clock::Time first_start() const;
  Clock::Time last_end() const;

 private:
  void start_allowed() LOCKSTEP_REQUIRES(mutex_);
  void advance() LOCKSTEP_REQUIRES(mutex_);
  template <class Step>
  void attempt(std::size_t bucket, Step step) LOCKSTEP_REQUIRES(mutex_);
  void end_front() LOCKSTEP_REQUIRES(mutex_);

  Communicator& communicator_;
  mutable Mutex mutex_;
  const std::vector<GradientBucket>* buckets_ LOCKSTEP_GUARDED_BY(mutex_) = nullptr;
  AllReduceBucket plain_;
  BucketReduction* reduction_ LOCKSTEP_GUARDED_BY(mutex_) = nullptr;
  std::vector<std::unique_ptr<BucketWork>> works_ LOCKSTEP_GUARDED_BY(mutex_);  // of the started buckets
  std::atomic<std::size_t> done_{0};  // buckets, counted from the first; written with mutex_ held
  std::exception_ptr error_ LOCKSTEP_GUARDED_BY(mutex_);
  std::optional<std::size_t> failed_bucket_ LOCKSTEP_GUARDED_BY(mutex_);
  Clock::Time first_start_ LOCKSTEP_GUARDED_BY(mutex_){};
  Clock::Time last_end_ LOCKSTEP_GUARDED_BY(mutex_){};
  std::atomic<std::size_t> released_ = 0;
  std::atomic<bool> failed_ = false;  // error_ is set
};

}  // namespace lockstep
