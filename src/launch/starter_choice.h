#pragma once

// Decides which starter's variables apply to this process, when several may have left theirs.
//
// LOCKSTEP_ENV decides if it is set. Otherwise the first complete set of variables does. Ranks and sizes that
// contradict it are problems, except where one starter runs inside another: TORCHELASTIC_RUN_ID shows that torchrun is
// the inner one, and Slurm's variables are those of mpirun's daemons, or of a shell, in its job.

#include <string>

#include "launch/environment_reader.h"
#include "launch/starter.h"

namespace lockstep {

struct StarterChoice {
  const Starter* starter = nullptr;  // null: this process was not started as a rank
  bool complete = true;              // all required variables are set
  std::string reason;                // for the log: "Slurm's SLURM_PROCID and SLURM_STEP_* variables"
};

// Missing or contradictory variables are added to the reader's problems.
StarterChoice choose_starter(EnvironmentReader& reader);

}  // namespace lockstep
