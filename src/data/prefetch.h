#pragma once

// Work that is done ahead of the one who needs it: threads prepare the items of a sequence, several at a time, and
// next() hands them out in their order. What an item is, and where its result goes, is the caller's business:
//
//   std::deque<Batch> batches;
//   Prefetch ahead([&] { Batch& batch = batches.emplace_back(draw()); return [&batch] { load(batch); }; }, {});
//   while (ahead.next()) { train(batches.front()); batches.pop_front(); }
//
// Used by one thread, which also runs the source: only tasks run elsewhere. The threads take no signals, so that they
// reach the program's own threads.

#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"

namespace lockstep {

struct PrefetchOptions {
  int threads = 2;        // 0: items are prepared inside next()
  std::size_t depth = 4;  // items that were begun, or are prepared, ahead of the caller
};

class Prefetch {
 public:
  using Task = std::function<void()>;
  // Gives the work of the next item, or an empty task when there are no more. Called inside next() alone, for one item
  // after the other, and no more than `depth` of them ahead.
  using Source = std::function<Task()>;

  // Nothing is drawn from the source before the first next(). The clock has to outlive this.
  Prefetch(Source source, const PrefetchOptions& options, const Clock& clock = Clock::real());
  // Tasks under way are waited for, others never start.
  ~Prefetch();
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  // Returns true once the next item is prepared, false when there is none. Throws what the item's task threw, or the
  // source instead of giving one, when it is that item's turn; then no further task starts, and every later call
  // throws the same.
  bool next();

  // How long the caller has spent in next().
  std::chrono::nanoseconds waited() const { return waited_; }

 private:
  struct Item {
    Task task = {};
    bool prepared = false;
    std::exception_ptr error = {};
  };

  void refill(std::size_t ahead);
  Task draw();
  Item take();
  void wait_for_oldest();
  void stop();
  void join();
  void run();

  Source source_;
  std::size_t depth_;  // 0 without threads
  const Clock& clock_;
  bool drawn_all_ = false;
  std::exception_ptr failure_;
  std::chrono::nanoseconds waited_{0};

  Mutex mutex_;
  CondVar work_;      // for the threads: there is an item to begin
  CondVar prepared_;  // for the caller: an item is prepared
  // A deque: an item stays where it is while others come and go.
  std::deque<Item> items_ LOCKSTEP_GUARDED_BY(mutex_);
  std::size_t begun_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // how many of them, from the front
  bool stopping_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // last: they use everything above
};

}  // namespace lockstep
