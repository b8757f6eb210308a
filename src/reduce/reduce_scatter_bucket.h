#pragma once

// The reduction of buckets that ranks own in slices: each gets the average of its own slice, in place, and the rest of
// its bucket stays as it was. Additions have the order they have in an all-reduce, so a slice holds the same bits.

#include "lockstep/bucket_reduction.h"
#include "reduce/lent_gradients.h"

namespace lockstep {

class ReduceScatterBucket final : public BucketReduction {
 public:
  // Reads what is lent of a bucket where it lies.
  explicit ReduceScatterBucket(const LentGradients& lent) : lent_(lent) {}

  std::string_view name() const override { return "reduce_scatter"; }
  std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator& communicator) override;

 private:
  const LentGradients& lent_;
};

}  // namespace lockstep
