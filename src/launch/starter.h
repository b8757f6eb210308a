#pragma once

// The programs that start the ranks of a job, and the variables by which each of them tells a rank who it is. A
// table and nothing else: starter_choice.h finds the row that is true for this process, identity.h reads it.

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// torchrun runs inside any of the others and an MPI inside Slurm, hardly ever the other way round.
enum class StarterKind { kTorchrun, kOpenMpi, kMpich, kMvapich, kSlurm };

struct Starter {
  StarterKind kind;
  std::string_view choice;     // as LOCKSTEP_ENV names it
  std::string_view owner;      // whose variables they are
  std::string_view program;    // who sets them, as in "... sets them"
  std::string_view variables;  // what they are called, for the log
  std::string_view rank;
  std::string_view size;
  std::string_view local_rank;
  std::string_view local_size;
  std::vector<std::string_view> signs;     // one of them is enough to know that it was here
  std::vector<std::string_view> required;  // all of them make it complete
  std::vector<std::string_view> job;       // equal on all ranks, different in every job
  std::string_view give_address;           // the command that hands MASTER_ADDR and MASTER_PORT to all ranks

  bool is_mpi() const { return kind != StarterKind::kTorchrun && kind != StarterKind::kSlurm; }
};

// In order of preference.
const std::vector<Starter>& starters();

inline constexpr std::string_view kForcedStarter = "LOCKSTEP_ENV";
inline constexpr std::string_view kPlainChoice = "plain";  // LOCKSTEP_ENV's name for no starter at all

// "torchrun, openmpi, ..., plain": what LOCKSTEP_ENV may say.
std::vector<std::string> starter_choices();

}  // namespace lockstep
