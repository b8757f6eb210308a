#pragma once

// All ranks of a job, and this rank's position among them.
//
//   int main() {
//     auto world = lockstep::World::join();
//     LOCKSTEP_LOG(kInfo) << "hello from " << world.size() << " ranks";
//     std::vector<float> loss = {compute()};
//     world.communicator().all_reduce(loss, lockstep::ReduceOp::kAvg);
//   }
//
// The rank and the size come from the environment as set by torchrun, Open MPI's mpirun, mpiexec of MPICH and Intel
// MPI, MVAPICH's mpirun_rsh or Slurm's srun; docs/launch.md has the variables and the rules. Set LOCKSTEP_ENV to choose
// one when it is ambiguous. With none of them set, the world has one rank.
//
// Joining is collective. It sets the log's rank, picks the backend (shared memory when all ranks are on one host, else
// Gloo) and verifies that all ranks run the same version with the same options.

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "lockstep/communicator.h"
#include "lockstep/config_description.h"

namespace lockstep {

enum class BackendChoice { kAuto, kLocal, kShm, kGloo };

struct WorldOptions {
  BackendChoice backend = BackendChoice::kAuto;
  std::chrono::milliseconds join_timeout = std::chrono::minutes(5);
  std::chrono::milliseconds timeout = std::chrono::minutes(5);  // of operations that set none
  std::string bind_address = {};  // gloo: the address or interface to use; empty: the one that reaches rank 0
  // glibc returns large blocks to the kernel and requests them again in every step; keeping them saves 6-25 % of a
  // training step. Raises M_MMAP_THRESHOLD and M_TRIM_THRESHOLD for the whole process.
  bool tune_allocator = true;

  void describe(config::Description& d);
};

class World {
 public:
  // Throws Error{kInvalidConfig} when the environment is incomplete or contradictory, Error{kTimeout} naming the ranks
  // that did not join, and Error{kMismatch} when ranks differ in version or options.
  static World join(const WorldOptions& options = {});
  // For a program with its own loop: removes --world.timeout, --world.join-timeout, --world.backend,
  // --world.bind-address and --world.tune-allocator from the command line, with the same meaning as in training
  // programs, and reads LOCKSTEP_WORLD_TIMEOUT and so on from the environment. The rest of argv is the program's. Also
  // throws Error{kInvalidConfig} for malformed values, listing all of them.
  static World join(int& argc, char** argv, const WorldOptions& defaults = {});

  int rank() const;
  int size() const;
  int local_rank() const;  // on this host
  int local_size() const;
  int node_rank() const;  // which host
  int node_count() const;

  Communicator& communicator();

  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();  // leaves cleanly; ranks that still wait for this one are told

 private:
  struct State;

  explicit World(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace lockstep
