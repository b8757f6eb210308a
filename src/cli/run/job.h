#pragma once

// A whole job on this host: attempts, until one ends well or another start would be no use; the reports in between.

#include <sys/types.h>

#include "cli/output_file.h"
#include "cli/run/plan.h"

namespace lockstep::run {

// Returns what the launcher exits with. `front` is the process that the user sees. Throws Error when the launcher
// itself cannot go on.
int run_job(const Plan& plan, cli::OutputFile& report_file, pid_t front);

}  // namespace lockstep::run
