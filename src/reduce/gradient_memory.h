#pragma once

// Places a plan in symmetric memory: each gradient, each bucket and the tail of the step.

#include <span>
#include <string>
#include <vector>

#include "lockstep/bucket_reduction.h"
#include "lockstep/gradient_sync.h"
#include "reduce/bucket_plan.h"

namespace lockstep {

class GradientMemory {
 public:
  // Collective. `tail_count` elements of f32 follow the last bucket. With `tail_rides` they are part of it if its type
  // permits; otherwise they travel as a separate bucket without gradients.
  GradientMemory(Communicator& communicator, BucketPlan plan, std::span<const GradientSpec> gradients,
                 std::size_t tail_count, bool tail_rides);
  GradientMemory(GradientMemory&&) = default;
  GradientMemory& operator=(GradientMemory&&) = default;

  const BucketPlan& plan() const { return plan_; }
  const SymmetricMemory& memory() const { return memory_; }
  std::size_t size() const { return gradients_.size(); }
  const Buffer& gradient(std::size_t index) const { return gradients_[index]; }
  std::span<float> tail() const { return tail_; }
  // In the order they are sent, including the tail.
  const std::vector<GradientBucket>& buckets() const { return buckets_; }

  // Describes a bucket in an error: "bucket 1 of 3 with layer2.weight, layer2.bias".
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
