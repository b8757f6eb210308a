#include "reduce/sync_times.h"

#include <algorithm>

namespace lockstep {

void SyncTimes::add(const StepMoments& moments, std::size_t bytes, std::size_t buckets) {
  last_ = {.communication = moments.last_end - moments.first_start, .bytes = bytes, .buckets = buckets};
  // Buckets may have finished before finish(), and the first may have started in it.
  const auto waited = std::max(moments.last_end - moments.finish_began, std::chrono::nanoseconds(0));
  last_.exposed = std::min(last_.communication, waited);
  last_.hidden = last_.communication - last_.exposed;
  sum_.communication += last_.communication;
  sum_.exposed += last_.exposed;
  sum_.hidden += last_.hidden;
  sum_.bytes += last_.bytes;
  sum_.buckets += last_.buckets;
  ++steps_;
}

GradientSyncTimes SyncTimes::mean() const {
  if (steps_ == 0) {
    return {};
  }
  const auto steps = static_cast<std::chrono::nanoseconds::rep>(steps_);
  return {.communication = sum_.communication / steps,
          .exposed = sum_.exposed / steps,
          .hidden = sum_.hidden / steps,
          .bytes = sum_.bytes / steps_,
          .buckets = sum_.buckets / steps_};
}

}  // namespace lockstep
