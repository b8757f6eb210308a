#include "base/deadline.h"

#include <algorithm>
#include <limits>

namespace lockstep {

using std::chrono::nanoseconds;

Deadline Deadline::after(nanoseconds budget, const Clock& clock) {
  const Clock::Time start = clock.now();
  const nanoseconds longest = Clock::Time::max() - start;  // "a very long time" must not wrap into the past
  return {clock, start, start + std::clamp(budget, nanoseconds::zero(), longest)};
}

nanoseconds Deadline::remaining() const {
  return std::max(nanoseconds::zero(), nanoseconds(end_ - clock_->now()));
}

nanoseconds Deadline::elapsed() const {
  return clock_->now() - start_;
}

int Deadline::poll_timeout_ms() const {
  const auto whole_ms = std::chrono::ceil<std::chrono::milliseconds>(remaining()).count();
  return static_cast<int>(std::min<decltype(whole_ms)>(whole_ms, std::numeric_limits<int>::max()));
}

}  // namespace lockstep
