#pragma once

// How a rank waits for the others: spin for a moment, then give the processor away, then sleep until its
// doorbell rings. A flag in shared memory is seen within 0.1 us when spinning; a futex wake takes 13-27 us, and
// two ranks that share a core hand over in 3 us by yielding. With fewer processors than ranks spinning is left
// out: it would only keep the awaited rank from running.

#include <chrono>

#include "base/clock.h"
#include "comm/shm/control_block.h"

namespace lockstep {

class Backoff {
 public:
  explicit Backoff(bool may_spin);

  // Something happened: start over.
  void reset();

  // Spins or yields for a moment and returns false, or returns true: it is time to sleep.
  bool pause();

 private:
  bool may_spin_;
  Clock::Time start_;
};

// Sleeps until `doorbell` rings or `longest` has passed. Between construction and sleep() the owner looks once
// more at what it waits for: a store that came before is seen there, one that comes after rings.
class DoorbellSleep {
 public:
  explicit DoorbellSleep(Doorbell& doorbell);
  ~DoorbellSleep();
  DoorbellSleep(const DoorbellSleep&) = delete;
  DoorbellSleep& operator=(const DoorbellSleep&) = delete;

  void sleep(std::chrono::nanoseconds longest);

 private:
  Doorbell& doorbell_;
  std::uint32_t rings_;
};

}  // namespace lockstep
