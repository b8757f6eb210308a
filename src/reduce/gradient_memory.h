#pragma once

// A plan put into symmetric memory: where each gradient, each bucket and the tail of the step lie.

#include <span>
#include <string>
#include <vector>

#include "lockstep/bucket_reduction.h"
#include "lockstep/gradient_sync.h"
#include "reduce/bucket_plan.h"

namespace lockstep {

class GradientMemory {
 public:
  // Collective. `tail_count` elements of f32 follow the last bucket. With `tail_rides` they are part of it, where
  // its type allows; else they travel as a bucket of their own without gradients.
  GradientMemory(Communicator& communicator, BucketPlan plan, std::span<const GradientSpec> gradients,
                 std::size_t tail_count, bool tail_rides);
  GradientMemory(GradientMemory&&) = default;
  GradientMemory& operator=(GradientMemory&&) = default;

  const BucketPlan& plan() const { return plan_; }
  const SymmetricMemory& memory() const { return memory_; }
  std::size_t size() const { return gradients_.size(); }
  const Buffer& gradient(std::size_t index) const { return gradients_[index]; }
  std::span<float> tail() const { return tail_; }
  // In the order they travel, the tail included.
  const std::vector<GradientBucket>& buckets() const { return buckets_; }

  // What an error says about a bucket: "bucket 1 of 3 with layer2.weight, layer2.bias".
  std::string describe(std::size_t bucket) const;

 private:
  void lay_out(std::span<const GradientSpec> gradients);
  void attach_tail(bool rides);

  BucketPlan plan_;
  SymmetricMemory memory_;
  std::vector<Buffer> gradients_;  // by index
  std::span<float> tail_;
  std::vector<std::string> labels_;
  std::vector<std::vector<BucketGradient>> members_;
  std::vector<GradientBucket> buckets_;
};

}  // namespace lockstep
