#pragma once

// What /proc says about processes and threads. Both functions throw Error{kSystem} when it cannot be read.

#include <sys/types.h>

#include <vector>

namespace lockstep::testing {

struct ProcessEntry {
  pid_t id = 0;
  char state = 0;  // 'Z': has ended and was not reaped
  pid_t parent = 0;
  pid_t group = 0;
  // On its way out: runs no more code of its program. A thread that was joined is at least that, though it
  // may be listed for a moment longer.
  bool exiting = false;
};

// All processes of this machine.
std::vector<ProcessEntry> list_processes();
// The threads of this process.
std::vector<ProcessEntry> list_own_threads();

}  // namespace lockstep::testing
