#pragma once

// Which width gives the benchmark's mlp a given number of parameters.

#include <cstdint>

namespace lockstep::bench::scaling {

// As in bench_worker/step/mlp.cpp, with 784 inputs, 8 layers and 10 classes; tests check that both agree.
std::int64_t mlp_parameters(int width);

// The width closest to this number of parameters; a multiple of 16, to fill whole cache lines.
int mlp_width(std::int64_t parameters);

}  // namespace lockstep::bench::scaling
