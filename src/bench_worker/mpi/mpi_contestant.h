#pragma once

// Open MPI's MPI_Allreduce on one host, with its default settings.

#include <memory>

#include "bench_worker/contestant.h"

namespace lockstep::bench {

// To be destroyed before the process ends: that finalizes MPI.
std::unique_ptr<Contestant> make_mpi_contestant();

}  // namespace lockstep::bench
