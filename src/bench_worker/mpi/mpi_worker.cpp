// lockstep-bench-mpi: the helper of `lockstep bench` that is an MPI program, started by mpirun.

#include <cstdlib>
#include <string>

#include "bench_worker/all_reduce_duty.h"
#include "bench_worker/mpi/mpi_contestant.h"
#include "bench_worker/worker.h"
#include "lockstep/error.h"

namespace {

int rank_from_mpirun() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) {
    throw lockstep::Error(lockstep::ErrorCode::kInvalidArgument,
                          "OMPI_COMM_WORLD_RANK is not set; Open MPI's mpirun has to start this program");
  }
  return std::stoi(rank);
}

}  // namespace

int main(int argc, char** argv) {
  lockstep::bench::WorkerOptions options;
  if (const auto exit_code = lockstep::config::parse_command_line(options, argc, argv, {.env_prefix = ""})) {
    return *exit_code;
  }
  return lockstep::bench::worker_main([&options] {
    options.rank = rank_from_mpirun();
    const auto contestant = lockstep::bench::make_mpi_contestant();
    lockstep::bench::AllReduceDuty duty(options, *contestant);
    lockstep::bench::run_worker(options, duty);
  });
}
