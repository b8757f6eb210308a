#pragma once

// A whole job on this host: attempts, until one succeeds or restarting would be pointless, and the reports in between.

#include <sys/types.h>

#include "cli/output_file.h"
#include "cli/run/plan.h"

namespace lockstep::run {

// Returns the launcher's exit code. `front` is the process that the user sees. Throws Error when the launcher itself
// cannot continue.
int run_job(const Plan& plan, cli::OutputFile& report_file, pid_t front);

}  // namespace lockstep::run
