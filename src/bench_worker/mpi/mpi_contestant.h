#pragma once

// Open MPI's MPI_Allreduce on one host, with its default settings.

#include <memory>

#include "bench_worker/contestant.h"

namespace lockstep::bench {

// Must be destroyed before the process exits: that finalizes MPI.
std::unique_ptr<Contestant> make_mpi_contestant();

}  // namespace lockstep::bench
