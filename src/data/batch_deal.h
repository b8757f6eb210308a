#pragma once

// The arithmetic of batches: how an epoch is cut into batches and how a batch is distributed over ranks, in positions
// of the global order. Pure; Permutation defines the order itself.

#include <cstdint>

#include "lockstep/sampler.h"

namespace lockstep {

// The positions [begin, end) of one batch of all ranks. Positions beyond the size of the data set are padding.
struct BatchSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct EpochPlan {
  std::uint64_t size = 0;  // of the data set
  std::uint64_t batch_size = 1;
  LastBatch last_batch = LastBatch::kDrop;
  std::uint64_t ranks = 1;

  // How many batches remain after `consumed` samples.
  std::uint64_t batches_after(std::uint64_t consumed) const;
  // The first of them; requires that there is one.
  BatchSpan batch_after(std::uint64_t consumed) const;
};

// How many positions of `batch` belong to `rank`: begin + rank, begin + rank + ranks, and so on.
std::uint64_t dealt_count(const BatchSpan& batch, const RankShare& share);

}  // namespace lockstep
