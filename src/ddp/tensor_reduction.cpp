#include "ddp/tensor_reduction.h"

#include <utility>

#include "ddp/tensor_buffer.h"

namespace lockstep {

TensorReduction::TensorReduction(std::shared_ptr<CommHook> hook, std::vector<NamedTensor> parameters)
    : hook_(std::move(hook)), parameters_(std::move(parameters)) {}

void TensorReduction::set_memory(SymmetricMemory memory) {
  memory_ = std::move(memory);
  buckets_.clear();
}

std::unique_ptr<BucketWork> TensorReduction::start(const GradientBucket& bucket, Communicator& communicator) {
  if (buckets_.size() <= bucket.index) {
    buckets_.resize(bucket.index + 1);
  }
  TensorBucket& tensors = buckets_[bucket.index];
  if (!tensors.flat.defined()) {
    tensors = tensors_of(bucket);
  }
  const torch::NoGradGuard no_grad;
  return hook_->start(tensors, communicator);
}

TensorBucket TensorReduction::tensors_of(const GradientBucket& bucket) const {
  TensorBucket tensors{.index = bucket.index,
                       .last = bucket.last,
                       .label = bucket.label,
                       .flat = flat_view(bucket.values, memory_),
                       .gradients = {},
                       .names = {}};
  for (const BucketGradient& gradient : bucket.gradients) {
    tensors.gradients.push_back(view_as(parameters_[gradient.index].tensor, gradient.values, memory_));
    tensors.names.emplace_back(gradient.name);
  }
  return tensors;
}

}  // namespace lockstep
