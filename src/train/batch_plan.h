#pragma once

// How a batch is divided: over the ranks, and on each of them into micro-batches that go through the model one after
// the other before the optimizer takes its step.

#include <cstdint>
#include <string>

namespace lockstep::train {

struct BatchPlan {
  std::uint64_t batch_size = 0;   // of all ranks
  std::uint64_t share = 0;        // of one rank
  std::uint64_t micro_batch = 0;  // of one rank, at once
  int accumulation = 1;           // micro-batches per step

  // "64 samples a step = 2 ranks x 2 micro-batches x 16"
  std::string describe() const;
};

// `micro_batch` 0 stands for the whole share. Throws Error{kInvalidConfig} with the arithmetic, and the nearest numbers
// that work, when it does not come out even.
BatchPlan plan_batches(std::uint64_t batch_size, int ranks, std::uint64_t micro_batch);

}  // namespace lockstep::train
