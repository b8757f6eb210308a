#pragma once

// Decides which gradients travel together, and where each lies in memory. A pure function of sizes, order and caps:
// every rank computes the same plan from the same input.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lockstep/dtype.h"
#include "lockstep/gradient_sync.h"

namespace lockstep {

// Gradients start at a multiple of this, so that vector loads and cache lines never straddle two of them.
inline constexpr std::size_t kGradientAlignment = 64;

struct PlannedGradient {
  std::size_t index = 0;   // in the list of gradients
  std::size_t offset = 0;  // bytes from the start of all memory
};

struct PlannedBucket {
  DType dtype = DType::kF32;
  std::size_t offset = 0;  // bytes from the start of all memory
  std::size_t bytes = 0;   // including the gaps between gradients
  std::vector<PlannedGradient> gradients = {};
};

struct BucketPlan {
  std::vector<PlannedBucket> buckets;  // in the order they are sent
  std::size_t tail_offset = 0;         // right after the last bucket: counters of the step
  std::size_t bytes = 0;               // of all memory
};

// Goes through `order` (indices of `gradients`) and closes a bucket when it has reached its cap; gradients of one type
// share buckets. Caps are used one after the other, separately for each type, and the last one repeats. A gradient is
// never split, so a bucket may exceed its cap. Buckets are sorted by the arrival of their last gradient. Each is padded
// to `slices` parts of equal size, a multiple of kGradientAlignment. So no two parts share a cache line, and each
// begins where a vector loop over a whole gradient would begin an iteration.
BucketPlan plan_buckets(std::span<const GradientSpec> gradients, std::span<const std::size_t> order,
                        std::span<const std::size_t> caps, std::size_t tail_bytes, std::size_t slices = 1);

// Backward reaches parameters in roughly the reverse of the order in which forward uses them.
std::vector<std::size_t> reverse_order(std::size_t count);

// The gradients in the order they are sent, one bucket after the other.
std::vector<std::size_t> travel_order(const BucketPlan& plan);

// The table of a plan, one line per bucket.
std::string describe_plan(const BucketPlan& plan, std::span<const GradientSpec> gradients);

}  // namespace lockstep
