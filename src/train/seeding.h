#pragma once

// The random numbers of libtorch: weights, dropout.

#include <cstdint>

namespace lockstep::train {

// A stream for each rank; the same in every run. `step` is where a run is resumed whose random numbers cannot go on,
// because there are other ranks than before.
void seed_libtorch(std::uint64_t seed, int rank, std::int64_t step = 0);

}  // namespace lockstep::train
