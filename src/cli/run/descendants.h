#pragma once

// The descendants of this process at any depth. Processes that workers started and left behind become children of this
// process, once it has asked for that, and can be killed.

#include <sys/types.h>

#include <set>

#include "base/deadline.h"

namespace lockstep::run {

// Orphans among the descendants become children of this process instead of init's.
void adopt_orphans();

// Reaps adopted children that have exited. `own` are children that other code waits for.
void reap_adopted(const std::set<pid_t>& own);

// Kills every child, and the orphans that become children as a result, until none is left. Returns false if some are
// left at the deadline: a process in an uninterruptible system call.
bool kill_descendants(const Deadline& deadline);

}  // namespace lockstep::run
