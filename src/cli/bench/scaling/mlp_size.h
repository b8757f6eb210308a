#pragma once

// Which width gives the mlp of the benchmark a number of parameters.

#include <cstdint>

namespace lockstep::bench::scaling {

// As bench_worker/step/mlp.cpp makes it, with 784 inputs, 8 layers and 10 classes; tests hold both to the same number.
std::int64_t mlp_parameters(int width);

// The width, a multiple of 16 and so of whole cache lines, that comes closest to this number of parameters.
int mlp_width(std::int64_t parameters);

}  // namespace lockstep::bench::scaling
