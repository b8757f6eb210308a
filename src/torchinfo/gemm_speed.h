#pragma once

// How fast libtorch multiplies matrices: the number that tells a tuned BLAS from a naive one.

namespace lockstep {

// GFLOP/s of a float32 product of 512 x 512 matrices on one thread, the best of the repetitions that fit into about a
// tenth of a second (at least two, however slow they are).
double measure_gemm_gflops();

}  // namespace lockstep
