#pragma once

// The reduction of sliced buckets: each rank gets the average of its own slice, in place, and the rest of its bucket is
// unchanged. Additions have the same order as in an all-reduce, so a slice holds the same bits.

#include "lockstep/bucket_reduction.h"
#include "reduce/lent_gradients.h"

namespace lockstep {

class ReduceScatterBucket final : public BucketReduction {
 public:
  // Reads the lent gradients of a bucket in place.
  explicit ReduceScatterBucket(const LentGradients& lent) : lent_(lent) {}

  std::string_view name() const override { return "reduce_scatter"; }
  std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator& communicator) override;

 private:
  const LentGradients& lent_;
};

}  // namespace lockstep
