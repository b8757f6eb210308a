#pragma once

// Which starter's variables are true for this process, when several may have left theirs.
//
// LOCKSTEP_ENV decides where it is set. Otherwise the first complete set of variables does. Ranks and sizes that
// contradict it are problems, except where one starter runs inside another: TORCHELASTIC_RUN_ID shows that
// torchrun is the inner one, and Slurm's variables are those of mpirun's daemons, or of a shell, in its job.

#include <string>

#include "launch/environment_reader.h"
#include "launch/starter.h"

namespace lockstep {

struct StarterChoice {
  const Starter* starter = nullptr;  // null: nobody started this process as a rank
  bool complete = true;              // all that it requires is set
  std::string reason;                // for the log: "Slurm's SLURM_PROCID and SLURM_STEP_* variables"
};

// What is missing or contradicts goes to the reader's problems.
StarterChoice choose_starter(EnvironmentReader& reader);

}  // namespace lockstep
