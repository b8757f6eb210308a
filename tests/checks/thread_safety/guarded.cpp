// Compiles under the thread-safety analysis: every access holds the lock it needs.

#include "base/mutex.h"

namespace {

class Counter {
 public:
  void increment() {
    const lockstep::MutexLock lock(mutex_);
    ++count_;
  }

  bool wait_for_one(const lockstep::Deadline& deadline) {
    const lockstep::MutexLock lock(mutex_);
    return changed_.wait_until(mutex_, deadline, [this]() LOCKSTEP_REQUIRES(mutex_) { return count_ > 0; });
  }

#ifdef LOCKSTEP_TEST_UNGUARDED_READ
  int count() const {
    return count_;
  }
#endif
#ifdef LOCKSTEP_TEST_MISSING_REQUIRES
  void reset() {
    clear();
  }
#endif

 private:
  void clear() LOCKSTEP_REQUIRES(mutex_) {
    count_ = 0;
  }

  lockstep::Mutex mutex_;
  lockstep::CondVar changed_;
  int count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
};

}  // namespace

void use_counter(const lockstep::Deadline& deadline) {
  Counter counter;
  counter.increment();
  counter.wait_for_one(deadline);
}
