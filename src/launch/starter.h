#pragma once

// The programs that start the ranks of a job, and the variables through which each tells a rank its identity. Only a
// table: starter_choice.h finds the row that applies to this process, identity.h reads it.

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// torchrun runs inside any of the others and an MPI inside Slurm, hardly ever the other way round.
enum class StarterKind { kTorchrun, kOpenMpi, kMpich, kMvapich, kSlurm };

struct Starter {
  StarterKind kind;
  std::string_view choice;     // its name in LOCKSTEP_ENV
  std::string_view owner;      // whose variables they are
  std::string_view program;    // what sets them, as in "... sets them"
  std::string_view variables;  // their names, for the log
  std::string_view rank;
  std::string_view size;
  std::string_view local_rank;
  std::string_view local_size;
  std::vector<std::string_view> signs;     // any of them shows that this starter was used
  std::vector<std::string_view> required;  // all of them must be set
  std::vector<std::string_view> job;       // equal on all ranks, different in every job
  std::string_view give_address;           // the command that passes MASTER_ADDR and MASTER_PORT to all ranks

  bool is_mpi() const { return kind != StarterKind::kTorchrun && kind != StarterKind::kSlurm; }
};

// In order of preference.
const std::vector<Starter>& starters();

inline constexpr std::string_view kForcedStarter = "LOCKSTEP_ENV";
inline constexpr std::string_view kPlainChoice = "plain";  // LOCKSTEP_ENV's name for no starter

// "torchrun, openmpi, ..., plain": the values of LOCKSTEP_ENV.
std::vector<std::string> starter_choices();

}  // namespace lockstep
