#pragma once

// Determines which worker failed first, which ones failed because of it, and the launcher's exit code. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/ending.h"

namespace lockstep::run {

struct Verdict {
  std::optional<std::size_t> first;       // whose failure decides; indices into AttemptOutcome::endings
  std::vector<std::size_t> consequences;  // lost a peer, and reported that
  std::vector<std::size_t> others;        // failed on their own, later
  std::vector<std::size_t> stopped;       // by the launcher
  std::vector<std::size_t> waiting;       // in World::join(), for `first`, which exited without joining
  int exit_code = 0;

  bool ok() const { return exit_code == 0; }
};

// The time of a failure is the one its worker recorded, else when the launcher saw it exit: a worker may take longer to
// exit than those that failed because of it. Among the workers that do not blame a peer, the earliest is first; if all
// do, the peer they lost is on another host, and the earliest of them stands for it.
//
// Exiting with 0 is also a failure in the middle of the job: of a rank that others report as lost, and of one that
// never joined while others waited for it.
Verdict judge(const AttemptOutcome& outcome);

struct RestartAdvice {
  bool restart = false;
  std::string reason = {};  // why not; empty if no restart was requested
};

// Whether to start all workers again after `attempt` (counted from 0).
RestartAdvice advise_restart(const AttemptOutcome& outcome, const Verdict& verdict, int attempt,
                             int max_restarts, bool on_start_failure);

}  // namespace lockstep::run
