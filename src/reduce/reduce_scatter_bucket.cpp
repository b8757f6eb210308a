#include "reduce/reduce_scatter_bucket.h"

namespace lockstep {

std::unique_ptr<BucketWork> ReduceScatterBucket::start(const GradientBucket& bucket,
                                                       Communicator& communicator) {
  return reduce_in_stages({[this, &bucket, &communicator] {
    return communicator.start_reduce_scatter(bucket.values, ReduceOp::kAvg, lent_.in_bucket(bucket.index),
                                             {.label = bucket.label});
  }});
}

}  // namespace lockstep
