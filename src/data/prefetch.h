#pragma once

// Prepares work in advance: threads prepare the items of a sequence, several at a time, and next() delivers them in
// order. The caller decides what an item is and where its result goes:
//
//   std::deque<Batch> batches;
//   Prefetch ahead([&] { Batch& batch = batches.emplace_back(draw()); return [&batch] { load(batch); }; }, {});
//   while (ahead.next()) { train(batches.front()); batches.pop_front(); }
//
// Used by one thread, which also runs the source: only tasks run in other threads. These block signals, so that signals
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
  int threads = 2;        // 0: items are prepared in next()
  std::size_t depth = 4;  // items begun or prepared ahead of the caller
};

class Prefetch {
 public:
  using Task = std::function<void()>;
  // Returns the work of the next item, or an empty task when there are no more. Called only in next(), for one item
  // after the other, at most `depth` items ahead.
  using Source = std::function<Task()>;

  // Takes nothing from the source before the first next(). The clock must outlive this object.
  Prefetch(Source source, const PrefetchOptions& options, const Clock& clock = Clock::real());
  // Waits for tasks in flight; others never start.
  ~Prefetch();
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  // Returns true once the next item is prepared, false if there is none. When an item's task, or the source in its
  // place, threw an exception, next() throws it when it is that item's turn. Then no further task starts, and every
  // later call throws the same.
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
  // A deque: an item stays in place while others come and go.
  std::deque<Item> items_ LOCKSTEP_GUARDED_BY(mutex_);
  std::size_t begun_ LOCKSTEP_GUARDED_BY(mutex_) = 0;  // how many of them, from the front
  bool stopping_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // last: they use everything above
};

}  // namespace lockstep
