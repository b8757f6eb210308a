#pragma once

// The process that the user started. It starts the supervisor, which does the work, passes on signals and keyboard
// input, and exits as the supervisor does.
//
// Why two processes: whichever is killed, the other is left to clean up. A worker dies with the process that started
// it, but the worker's own children would survive; the process above adopts and kills them.

#include <sys/types.h>

#include <functional>
#include <set>

#include "cli/run/plan.h"

namespace lockstep::run {

// The signals passed on to the workers: those that stop the job, and SIGUSR1 and SIGUSR2. Excludes signals that this
// process was started to ignore, as nohup does with SIGHUP.
std::set<int> forwarded_signals(const Plan& plan);

// Runs `work` in a separate process and returns the exit code. `work` gets the id of this process and returns its exit
// code. Must be called while this process has one thread. Throws Error{kSystem} when no process can be created.
int run_behind_front(const std::set<int>& signals, const std::function<int(pid_t front)>& work);

}  // namespace lockstep::run
