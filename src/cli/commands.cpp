// The table of all commands.

#include <array>

#include "cli/bench_command.h"
#include "cli/command.h"
#include "cli/config_diff_command.h"
#include "cli/data_command.h"
#include "cli/diff_command.h"
#include "cli/doctor_command.h"
#include "cli/inspect_command.h"
#include "cli/new_command.h"
#include "cli/run_command.h"
#include "cli/verify_command.h"

namespace lockstep::cli {

std::span<const Command> all_commands() {
  static constexpr std::array kCommands = {
      Command{"run", "start a program as many ranks, watch them and stop them", run_run},
      Command{"new", "make a project for a training program of your own", run_new},
      Command{"doctor", "tell whether this machine is fit for multi-process training", run_doctor},
      Command{"bench", "measure all-reduce, or whole training steps, beside others and the machine's limits",
              run_bench},
      Command{"data", "make token shards from text files, and look at them", run_data},
      Command{"inspect", "show what is in a checkpoint", run_inspect},
      Command{"verify", "tell whether checkpoints are undamaged", run_verify},
      Command{"diff", "show what differs between two checkpoints", run_diff},
      Command{"config-diff", "show in which options two runs differ", run_config_diff},
  };
  return kCommands;
}

}  // namespace lockstep::cli
