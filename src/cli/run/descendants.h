#pragma once

// The processes that come from this one, however far down: what workers started and left behind becomes a child of
// this process, once it has asked for that, and can be ended.

#include <sys/types.h>

#include <set>

#include "base/deadline.h"

namespace lockstep::run {

// Orphans among the descendants become children of this process instead of the system's first one.
void adopt_orphans();

// Takes away the remains of adopted children that have ended. `own` are children that somebody else waits for.
void reap_adopted(const std::set<pid_t>& own);

// Kills every child, and those that become children by that, until there are none. False when some are still there
// at the deadline: a process in the middle of a system call that cannot be interrupted.
bool kill_descendants(const Deadline& deadline);

}  // namespace lockstep::run
