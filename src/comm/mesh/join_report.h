#pragma once

// Says every few seconds, while a rank joins, what it is waiting for.

#include <chrono>
#include <string>

#include "base/deadline.h"
#include "base/duration_text.h"
#include "lockstep/log.h"

namespace lockstep::mesh {

class JoinReport {
 public:
  JoinReport(std::chrono::nanoseconds every, const Deadline& deadline)
      : every_(every), deadline_(deadline), next_(deadline.elapsed() + every) {}

  template <class Describe>
  void tick(Describe describe) {
    if (deadline_.elapsed() >= next_) {
      next_ += every_;
      LOCKSTEP_LOG(kWarning) << "joining for " << duration_text(deadline_.elapsed()) << ": " << describe();
    }
  }

 private:
  std::chrono::nanoseconds every_;
  const Deadline& deadline_;
  std::chrono::nanoseconds next_;
};

}  // namespace lockstep::mesh
