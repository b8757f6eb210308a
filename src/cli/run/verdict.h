#pragma once

// Who failed first, who only because of that, and what the launcher exits with. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/ending.h"

namespace lockstep::run {

struct Verdict {
  std::optional<std::size_t> first;       // whose failure decides; indices into AttemptOutcome::endings
  std::vector<std::size_t> consequences;  // they lost a peer, and said so
  std::vector<std::size_t> others;        // failed by themselves, later
  std::vector<std::size_t> stopped;       // by the launcher
  std::vector<std::size_t> waiting;       // in World::join(), for `first`, which ended without joining
  int exit_code = 0;

  bool ok() const { return exit_code == 0; }
};

// A failure is of the time its worker noted, else of when the launcher saw the end: a worker may take longer to go
// than those who failed because of it. Of the workers that do not blame a peer, the earliest is first; when all
// do, what they lost is on another host, and the earliest of them stands for it.
//
// Ending with code 0 is a failure too, if it was in the middle of the job: of a rank that others say they have lost, and
// of one that never joined while others waited for it.
Verdict judge(const AttemptOutcome& outcome);

struct RestartAdvice {
  bool restart = false;
  std::string reason = {};  // why not; empty when nobody asked
};

// Whether to start all workers again after `attempt` (counted from 0).
RestartAdvice advise_restart(const AttemptOutcome& outcome, const Verdict& verdict, int attempt,
                             int max_restarts, bool on_start_failure);

}  // namespace lockstep::run
