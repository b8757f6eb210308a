#pragma once

// The process that the user started. It starts the one that does the work, hands signals and what is typed on to it,
// and exits as it does.
//
// Why two: whoever is killed, the other is left to clean up. A worker dies with the process that started it, but what
// the worker had started would live on; the process above adopts and ends it.

#include <sys/types.h>

#include <functional>
#include <set>

#include "cli/run/plan.h"

namespace lockstep::run {

// What is handed on to the workers: the signals that end the job, and SIGUSR1 and SIGUSR2. Without those that this
// process was started to ignore, as nohup does it with SIGHUP.
std::set<int> forwarded_signals(const Plan& plan);

// Runs `work` in a process of its own and returns what to exit with. `work` gets the id of this process and returns
// its exit code. To be called while this process has one thread. Throws Error{kSystem} when there can be no process.
int run_behind_front(const std::set<int>& signals, const std::function<int(pid_t front)>& work);

}  // namespace lockstep::run
