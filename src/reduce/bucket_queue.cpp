#include "reduce/bucket_queue.h"

#include "lockstep/error.h"

namespace lockstep {

BucketQueue::~BucketQueue() = default;

void BucketQueue::begin(const std::vector<GradientBucket>& buckets, BucketReduction& reduction) {
  const MutexLock lock(mutex_);
  buckets_ = &buckets;
  reduction_ = &reduction;
  works_.clear();
  done_.store(0, std::memory_order_relaxed);
  released_.store(0, std::memory_order_relaxed);  // no other thread is active between two steps
}

void BucketQueue::release_next() noexcept {
  // Pairs with start_allowed(): the thread that starts the bucket sees the gradients in it.
  released_.fetch_add(1, std::memory_order_release);
}

void BucketQueue::poll() noexcept {
  const MutexLock lock(mutex_);
  advance();
}

// Runs one step of a bucket's work and keeps the exception it throws. The first error stops the queue: work in flight
// is abandoned once the communicator has failed.
template <class Step>
void BucketQueue::attempt(std::size_t bucket, Step step) {
  try {
    step();
  } catch (...) {
    error_ = std::current_exception();
    failed_bucket_ = bucket;
    failed_.store(true, std::memory_order_release);  // pairs with check()
  }
}

void BucketQueue::start_allowed() {
  // Pairs with release_next().
  while (!error_ && works_.size() < released_.load(std::memory_order_acquire) &&
         (works_.empty() || !works_.back() || works_.back()->all_started())) {
    const std::size_t bucket = works_.size();
    if (bucket == 0) {
      first_start_ = Clock::real().now();
    }
    works_.emplace_back();
    attempt(bucket, [&]() LOCKSTEP_REQUIRES(mutex_) {
      const GradientBucket& next = (*buckets_)[bucket];
      works_[bucket] = (next.gradients.empty() ? plain_ : *reduction_).start(next, communicator_);
    });
  }
}

void BucketQueue::end_front() {
  works_[done()].reset();
  done_.fetch_add(1, std::memory_order_release);  // pairs with done()
  last_end_ = Clock::real().now();
}

void BucketQueue::advance() {
  start_allowed();
  bool moved = true;
  while (moved && !error_ && done() < works_.size()) {
    moved = false;
    attempt(done(), [&]() LOCKSTEP_REQUIRES(mutex_) { moved = works_[done()]->poll(); });
    if (moved) {
      end_front();
    }
    start_allowed();
  }
}

void BucketQueue::wait() {
  const MutexLock lock(mutex_);
  start_allowed();
  while (!error_ && done() < works_.size()) {
    attempt(done(), [&]() LOCKSTEP_REQUIRES(mutex_) { works_[done()]->wait(); });
    if (!error_) {
      end_front();
      start_allowed();
    }
  }
  if (error_) {
    std::rethrow_exception(error_);
  }
}

void BucketQueue::check() {
  if (failed_.load(std::memory_order_acquire)) {  // pairs with attempt()
    const MutexLock lock(mutex_);
    std::rethrow_exception(error_);
  }
}

void BucketQueue::abandon() noexcept {
  const MutexLock lock(mutex_);
  for (auto& work : works_) {
    if (work) {
      try {
        work->wait();
      } catch (...) {  // NOLINT(bugprone-empty-catch): the first error is known, these only repeat it
      }
      work.reset();
    }
  }
}

bool BucketQueue::busy() const {
  const MutexLock lock(mutex_);
  return !error_ && done() < released_.load(std::memory_order_acquire);
}

std::optional<std::size_t> BucketQueue::failed_bucket() const {
  const MutexLock lock(mutex_);
  return failed_bucket_;
}

Clock::Time BucketQueue::first_start() const {
  const MutexLock lock(mutex_);
  return first_start_;
}

Clock::Time BucketQueue::last_end() const {
  const MutexLock lock(mutex_);
  return last_end_;
}

}  // namespace lockstep
