#pragma once

// The part of starting a process that runs in the child, between fork() and exec(). Used by subprocess.cpp only.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace lockstep {

// Everything the child needs, prepared before fork(): afterwards it may only make system calls.
struct ChildPlan {
  const std::vector<std::string>& paths;
  const std::vector<char*>& argv;
  char* const* environment;
  const char* working_directory;  // null: stay
  int standard_input;             // -1: inherit
  int standard_output;            // -1: inherit
  int standard_error;             // -1: inherit
  int parent_death_signal;
  pid_t parent;
  const std::vector<int>& inherited_fds;
  const std::vector<unsigned long>& cores;  // one bit for each core it may run on; empty: the parent's
  int report_fd;                            // closes on exec; receives a StartFailure when anything fails
};

// The step that failed in the child.
enum class StartStep {
  kParentDeathSignal,
  kStandardStreams,
  kInheritedFds,
  kCores,
  kWorkingDirectory,
  kProgram
};

struct StartFailure {
  StartStep step;
  int error_number;
};

// Forks and starts the program in the child. Throws Error{kSystem} when no child can be created.
pid_t fork_child(const ChildPlan& plan);

// What the child wrote to the other end of report_fd: nothing if the program runs.
std::optional<StartFailure> read_report(int fd);

}  // namespace lockstep
