#pragma once

// Seeds libtorch's random numbers: weights, dropout.

#include <cstdint>

namespace lockstep::train {

// One stream per rank, the same in every run. `step` is where a run resumes if its random numbers cannot continue
// because the number of ranks has changed.
void seed_libtorch(std::uint64_t seed, int rank, std::int64_t step = 0);

}  // namespace lockstep::train
