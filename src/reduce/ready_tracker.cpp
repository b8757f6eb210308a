#include "reduce/ready_tracker.h"

#include <algorithm>

namespace lockstep {

ReadyTracker::ReadyTracker(const BucketPlan& plan) {
  for (const PlannedBucket& bucket : plan.buckets) {
    for (const PlannedGradient& gradient : bucket.gradients) {
      bucket_of_.resize(std::max(bucket_of_.size(), gradient.index + 1));
      bucket_of_[gradient.index] = sizes_.size();
    }
    sizes_.push_back(bucket.gradients.size());
  }
  reset();
}

void ReadyTracker::reset() {
  missing_ = sizes_;
  ready_.assign(bucket_of_.size(), false);
  arrivals_.clear();
}

bool ReadyTracker::mark(std::size_t index) {
  if (ready_[index]) {
    return false;
  }
  ready_[index] = true;
  --missing_[bucket_of_[index]];
  arrivals_.push_back(index);
  return true;
}

}  // namespace lockstep
