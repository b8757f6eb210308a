#pragma once

// A source of time: the machine's monotonic clock, or one that a test moves by hand.

#include <atomic>
#include <chrono>

namespace lockstep {

class Clock {
 public:
  using Time = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

  virtual ~Clock() = default;
  virtual Time now() const = 0;

  // The monotonic clock of this machine.
  static const Clock& real();
};

// Stands still until it is told to advance. Safe to share between threads.
class ManualClock final : public Clock {
 public:
  Time now() const override { return Time(std::chrono::nanoseconds(now_ns_.load())); }
  void advance(std::chrono::nanoseconds by) { now_ns_.fetch_add(by.count()); }

 private:
  std::atomic<std::chrono::nanoseconds::rep> now_ns_{0};
};

}  // namespace lockstep
