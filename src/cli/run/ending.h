#pragma once

// How one worker exited, and all that is known about it; and the outcome of an attempt.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/exit_status.h"
#include "job/board.h"
#include "job/error_record.h"
#include "lockstep/error.h"

namespace lockstep::run {

struct WorkerEnding {
  int rank = 0;
  int local_rank = 0;
  pid_t pid = 0;
  ExitStatus status = {};
  std::chrono::nanoseconds time{};     // since 1970, when the launcher saw it
  int stop_signal = 0;                 // the last signal the launcher had sent it by then, or 0
  bool out_of_memory = false;          // killed when its memory cgroup ran out
  bool is_ours = false;                // a program that uses Lockstep
  JoinStage stage = JoinStage::kNone;  // how far it came in joining this job
  std::uint64_t steps = 0;             // reported so far
  std::optional<ErrorRecord> error = {};
  std::string error_file = {};   // empty if it is not on disk
  std::string last_output = {};  // to standard error
};

struct AttemptOutcome {
  std::vector<WorkerEnding> endings = {};  // by rank; excludes workers that never started
  std::optional<Error> start_error = {};   // why a worker could not be started
  int signal = 0;                          // that stopped the job from outside, or 0
  std::string join_conflict = {};          // why the ranks could never have met; empty if they could
  bool grace_passed = false;               // workers that were asked to stop were still running after it
  std::chrono::nanoseconds start_time{};   // since 1970
  std::chrono::nanoseconds duration{};
};

}  // namespace lockstep::run
