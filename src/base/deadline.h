#pragma once

// A point in time by which something must have happened. Every wait in Lockstep takes one.

#include <chrono>

#include "base/clock.h"

namespace lockstep {

class Deadline {
 public:
  // `budget` from now; a negative budget has expired already. The clock must outlive the deadline.
  static Deadline after(std::chrono::nanoseconds budget, const Clock& clock = Clock::real());

  // Never negative.
  std::chrono::nanoseconds remaining() const;
  std::chrono::nanoseconds elapsed() const;  // since after() was called
  bool expired() const { return remaining() == std::chrono::nanoseconds::zero(); }
  // Whether it expires without help: one on a manual clock expires only when the clock is moved.
  bool on_real_clock() const { return clock_ == &Clock::real(); }

  // The timeout of poll() and epoll_wait(): whole milliseconds, rounded up so that a wait does not return early.
  int poll_timeout_ms() const;

 private:
  Deadline(const Clock& clock, Clock::Time start, Clock::Time end)
      : clock_(&clock), start_(start), end_(end) {}

  const Clock* clock_;
  Clock::Time start_;
  Clock::Time end_;
};

}  // namespace lockstep
