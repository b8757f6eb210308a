#pragma once

// How a batch is divided over the ranks, and on each rank into micro-batches that run through the model one after the
// other before the optimizer steps.

#include <cstdint>
#include <string>

namespace lockstep::train {

struct BatchPlan {
  std::uint64_t batch_size = 0;   // of all ranks
  std::uint64_t share = 0;        // one rank's samples
  std::uint64_t micro_batch = 0;  // one rank's samples at once
  int accumulation = 1;           // micro-batches per step

  // "64 samples a step = 2 ranks x 2 micro-batches x 16"
  std::string describe() const;
};

// A `micro_batch` of 0 means the whole share. When the division leaves a remainder, throws Error{kInvalidConfig} with
// the arithmetic and the nearest numbers that work.
BatchPlan plan_batches(std::uint64_t batch_size, int ranks, std::uint64_t micro_batch);

}  // namespace lockstep::train
