#include "train/seeding.h"

#include <torch/utils.h>

#include "lockstep/sample_random.h"

namespace lockstep::train {

void seed_libtorch(std::uint64_t seed, int rank, std::int64_t step) {
  // Consecutive seeds give similar streams, so the seed is mixed first.
  SampleRandom random(
      {.seed = seed, .epoch = static_cast<std::uint64_t>(step), .index = static_cast<std::uint64_t>(rank)});
  torch::manual_seed(random.bits());
}

}  // namespace lockstep::train
