#include "data/prefetch.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/duration_text.h"
#include "base/signals_blocked.h"
#include "lockstep/error.h"
#include "lockstep/log.h"

namespace lockstep {
namespace {

// A wait this long deserves a message: it may never end.
constexpr std::chrono::minutes kPatience{1};

// Adds its lifetime to a total.
class Stopwatch {
 public:
  Stopwatch(const Clock& clock, std::chrono::nanoseconds& total)
      : clock_(clock), total_(total), start_(clock.now()) {}
  ~Stopwatch() { total_ += clock_.now() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  const Clock& clock_;
  std::chrono::nanoseconds& total_;
  Clock::Time start_;
};

std::exception_ptr error_of(const Prefetch::Task& task) {
  try {
    task();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

Prefetch::Prefetch(Source source, const PrefetchOptions& options, const Clock& clock)
    : source_(std::move(source)), depth_(options.threads == 0 ? 0 : options.depth), clock_(clock) {
  LOCKSTEP_CHECK(options.threads >= 0 && (options.threads == 0 || options.depth > 0));
  const SignalsBlocked blocked;
  try {
    // More threads would never have anything to do.
    for (std::size_t i = std::min(static_cast<std::size_t>(options.threads), depth_); i > 0; --i) {
      threads_.emplace_back([this] { run(); });
    }
  } catch (const std::system_error& error) {
    join();
    throw Error::from_errno(error.code().value(), "starting a thread that prepares data");
  }
}

Prefetch::~Prefetch() {
  join();
}

bool Prefetch::next() {
  const Stopwatch stopwatch(clock_, waited_);
  if (failure_) {
    std::rethrow_exception(failure_);
  }
  refill(std::max<std::size_t>(depth_, 1));
  {
    const MutexLock lock(mutex_);
    if (items_.empty()) {
      return false;
    }
  }
  const Item item = take();
  if (item.error) {
    failure_ = item.error;
    stop();
    std::rethrow_exception(failure_);
  }
  // The threads continue while the caller uses the item.
  refill(depth_);
  return true;
}

// Draws until that many items are ahead of the caller.
void Prefetch::refill(std::size_t ahead) {
  while (!drawn_all_) {
    {
      const MutexLock lock(mutex_);
      if (items_.size() >= ahead) {
        return;
      }
    }
    if (Task task = draw()) {
      const MutexLock lock(mutex_);
      items_.push_back({.task = std::move(task)});
      work_.notify_one();
    }
  }
}

Prefetch::Task Prefetch::draw() {
  try {
    Task task = source_();
    drawn_all_ = !task;
    return task;
  } catch (...) {
    drawn_all_ = true;
    return [error = std::current_exception()] { std::rethrow_exception(error); };
  }
}

Prefetch::Item Prefetch::take() {
  if (depth_ > 0) {
    wait_for_oldest();
  }
  Item item;
  {
    const MutexLock lock(mutex_);
    item = std::move(items_.front());
    items_.pop_front();
    begun_ -= depth_ == 0 ? 0 : 1;
  }
  if (depth_ == 0) {
    item.error = error_of(item.task);
  }
  return item;
}

void Prefetch::wait_for_oldest() {
  for (const Clock::Time start = clock_.now();;) {
    {
      const MutexLock lock(mutex_);
      if (prepared_.wait_until(mutex_, Deadline::after(kPatience, clock_),
                               [this]() LOCKSTEP_REQUIRES(mutex_) { return items_.front().prepared; })) {
        return;
      }
    }
    LOCKSTEP_LOG(kWarning) << "still waiting for data after " << duration_text(clock_.now() - start);
  }
}

void Prefetch::stop() {
  std::vector<Item> void_items;  // their tasks are destroyed after the lock is released
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    const auto first = items_.begin() + static_cast<std::ptrdiff_t>(begun_);
    void_items.assign(std::make_move_iterator(first), std::make_move_iterator(items_.end()));
    items_.erase(first, items_.end());
  }
  work_.notify_all();
}

void Prefetch::join() {
  stop();
  std::for_each(threads_.begin(), threads_.end(), [](std::thread& thread) { thread.join(); });
}

void Prefetch::run() {
  const auto has_work = [this]() LOCKSTEP_REQUIRES(mutex_) { return stopping_ || begun_ < items_.size(); };
  mutex_.lock();
  while (!stopping_) {
    if (!work_.wait_until(mutex_, Deadline::after(std::chrono::hours(1)), has_work) || stopping_) {
      continue;
    }
    Item& item = items_[begun_++];
    Task task = std::move(item.task);
    mutex_.unlock();
    std::exception_ptr error = error_of(task);
    task = nullptr;
    mutex_.lock();
    item.error = std::move(error);
    item.prepared = true;
    prepared_.notify_one();
  }
  mutex_.unlock();
}

}  // namespace lockstep
