#pragma once

// Measures how long the communication of steps takes, and how much of it is exposed.

#include <cstddef>

#include "base/clock.h"
#include "lockstep/gradient_sync.h"

namespace lockstep {

// The time stamps of a step.
struct StepMoments {
  Clock::Time first_start;   // of a bucket
  Clock::Time finish_began;  // the caller has computed all gradients
  Clock::Time last_end;      // of a bucket
};

class SyncTimes {
 public:
  void add(const StepMoments& moments, std::size_t bytes, std::size_t buckets);

  std::size_t steps() const { return steps_; }
  const GradientSyncTimes& last() const { return last_; }
  GradientSyncTimes mean() const;

 private:
  GradientSyncTimes last_;
  GradientSyncTimes sum_;
  std::size_t steps_ = 0;
};

}  // namespace lockstep
