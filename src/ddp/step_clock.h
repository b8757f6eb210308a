#pragma once

// Measures the phases of a step.

#include "base/clock.h"
#include "lockstep/replica.h"

namespace lockstep {

class StepClock {
 public:
  explicit StepClock(const Clock& clock = Clock::real()) : clock_(clock) {}

  void begin_forward() { began_ = clock_.now(); }
  void end_forward() { current_.forward += clock_.now() - began_; }
  void begin_backward() { began_ = clock_.now(); }
  void end_backward() { current_.backward = clock_.now() - began_; }
  void end_step(const GradientSyncTimes& times);

  DdpStats stats() const;

 private:
  const Clock& clock_;
  Clock::Time began_{};
  StepTimes current_;
  StepTimes last_;
  StepTimes sum_;
  std::uint64_t steps_ = 0;
};

}  // namespace lockstep
