#include "base/clock.h"

namespace lockstep {
namespace {

class RealClock final : public Clock {
 public:
  Time now() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace

const Clock& Clock::real() {
  static const RealClock clock;
  return clock;
}

}  // namespace lockstep
