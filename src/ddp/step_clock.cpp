#include "ddp/step_clock.h"

#include <utility>

namespace lockstep {

void StepClock::end_step(const GradientSyncTimes& times) {
  last_ = std::exchange(current_, {});
  last_.communication_hidden = times.hidden;
  last_.communication_exposed = times.exposed;
  last_.bytes = times.bytes;
  last_.buckets = times.buckets;
  sum_.forward += last_.forward;
  sum_.backward += last_.backward;
  sum_.communication_hidden += last_.communication_hidden;
  sum_.communication_exposed += last_.communication_exposed;
  sum_.bytes += last_.bytes;
  sum_.buckets += last_.buckets;
  ++steps_;
}

DdpStats StepClock::stats() const {
  DdpStats stats{.steps = steps_, .last = last_, .mean = sum_};
  if (steps_ > 0) {
    const auto steps = static_cast<std::int64_t>(steps_);
    stats.mean.forward /= steps;
    stats.mean.backward /= steps;
    stats.mean.communication_hidden /= steps;
    stats.mean.communication_exposed /= steps;
    stats.mean.bytes /= steps_;
    stats.mean.buckets /= steps_;
  }
  return stats;
}

}  // namespace lockstep
