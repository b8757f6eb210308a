#pragma once

// The default reduction of buckets: one all-reduce, in place.

#include "lockstep/bucket_reduction.h"

namespace lockstep {

class AllReduceBucket final : public BucketReduction {
 public:
  std::string_view name() const override { return "all_reduce"; }
  std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator& communicator) override;
};

}  // namespace lockstep
