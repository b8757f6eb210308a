#pragma once

// Seconds between one call and the next.

#include <chrono>
#include <utility>

#include "base/clock.h"

namespace lockstep::train {

class LapTimer {
 public:
  explicit LapTimer(const Clock& clock = Clock::real()) : clock_(clock), began_(clock.now()) {}

  // Seconds since the last lap, or since construction.
  double lap() {
    const Clock::Time now = clock_.now();
    return std::chrono::duration<double>(now - std::exchange(began_, now)).count();
  }

 private:
  const Clock& clock_;
  Clock::Time began_;
};

}  // namespace lockstep::train
