// The hooks that send a bucket unchanged, or in half the bytes.

#include <torch/types.h>

#include "lockstep/comm_hook.h"

namespace lockstep {
namespace {

class AllReduceHook final : public CommHook {
 public:
  std::string_view name() const override { return "all_reduce"; }

  std::unique_ptr<BucketWork> start(const TensorBucket& bucket, Communicator& communicator) override {
    return reduce_in_stages({[&bucket, &communicator] {
      return communicator.start_all_reduce(buffer_of(bucket.flat), ReduceOp::kAvg, {.label = bucket.label});
    }});
  }
};

class Compression final : public CommHook {
 public:
  Compression(std::string_view name, torch::ScalarType type) : name_(name), type_(type) {}

  std::string_view name() const override { return name_; }

  std::unique_ptr<BucketWork> start(const TensorBucket& bucket, Communicator& communicator) override {
    const torch::Tensor narrow = bucket.flat.to(type_);
    return reduce_in_stages({[narrow, &bucket, &communicator] {
                              return communicator.start_all_reduce(buffer_of(narrow), ReduceOp::kAvg,
                                                                   {.label = bucket.label});
                            }},
                            [narrow, flat = bucket.flat] { torch::Tensor(flat).copy_(narrow); });
  }

 private:
  std::string_view name_;
  torch::ScalarType type_;
};

}  // namespace

std::shared_ptr<CommHook> all_reduce_hook() {
  return std::make_shared<AllReduceHook>();
}

std::shared_ptr<CommHook> bf16_compression() {
  return std::make_shared<Compression>("bf16 compression", torch::kBFloat16);
}

std::shared_ptr<CommHook> fp16_compression() {
  return std::make_shared<Compression>("fp16 compression", torch::kHalf);
}

}  // namespace lockstep
