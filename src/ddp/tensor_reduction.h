#pragma once

// Lets a comm hook, which works on tensors, reduce the buckets of a gradient sync.

#include <deque>
#include <memory>
#include <vector>

#include "ddp/parameter_set.h"
#include "lockstep/comm_hook.h"
#include "lockstep/gradient_sync.h"

namespace lockstep {

class TensorReduction final : public BucketReduction {
 public:
  TensorReduction(std::shared_ptr<CommHook> hook, std::vector<NamedTensor> parameters);

  std::string_view name() const override { return hook_->name(); }
  std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator& communicator) override;

  // The memory of the buckets; called again when they have moved.
  void set_memory(SymmetricMemory memory);

 private:
  TensorBucket tensors_of(const GradientBucket& bucket) const;

  std::shared_ptr<CommHook> hook_;
  std::vector<NamedTensor> parameters_;
  SymmetricMemory memory_;
  std::deque<TensorBucket> buckets_;  // by index, created on first use; hooks keep references to them
};

}  // namespace lockstep
