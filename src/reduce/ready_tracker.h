#pragma once

// Tracks which gradients of the current step are ready, and which buckets are full.

#include <cstddef>
#include <vector>

#include "reduce/bucket_plan.h"

namespace lockstep {

class ReadyTracker {
 public:
  explicit ReadyTracker(const BucketPlan& plan);

  void reset();
  // Returns false if it was ready already.
  bool mark(std::size_t index);
  bool ready(std::size_t index) const { return ready_[index]; }
  bool full(std::size_t bucket) const { return missing_[bucket] == 0; }
  // In the order they became ready.
  const std::vector<std::size_t>& arrivals() const { return arrivals_; }

 private:
  std::vector<std::size_t> bucket_of_;  // by gradient
  std::vector<std::size_t> sizes_;      // by bucket
  std::vector<std::size_t> missing_;    // by bucket
  std::vector<bool> ready_;             // by gradient
  std::vector<std::size_t> arrivals_;
};

}  // namespace lockstep
