#pragma once

// The reduction that buckets have when nobody chose another: one all-reduce, in place.

#include "lockstep/bucket_reduction.h"

namespace lockstep {

class AllReduceBucket final : public BucketReduction {
 public:
  std::string_view name() const override { return "all_reduce"; }
  std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator& communicator) override;
};

}  // namespace lockstep
