#include "reduce/all_reduce_bucket.h"

#include <utility>

namespace lockstep {
namespace {

class SingleWork final : public BucketWork {
 public:
  explicit SingleWork(Work work) : work_(std::move(work)) {}

  bool poll() override {
    if (!work_.poll()) {
      return false;
    }
    work_.wait();  // done: only throws its error, if any
    return true;
  }
  void wait() override { work_.wait(); }

 private:
  Work work_;
};

}  // namespace

std::unique_ptr<BucketWork> AllReduceBucket::start(const GradientBucket& bucket, Communicator& communicator) {
  return std::make_unique<SingleWork>(
      communicator.start_all_reduce(bucket.values, ReduceOp::kAvg, {.label = bucket.label}));
}

}  // namespace lockstep
