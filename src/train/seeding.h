#pragma once

// The random numbers of libtorch: weights, dropout.

#include <cstdint>

namespace lockstep::train {

// A stream for each rank; the same in every run.
void seed_libtorch(std::uint64_t seed, int rank);

}  // namespace lockstep::train
