#pragma once

// One start of all workers of this host, until the last one has exited.
//
// The first failure decides. The other workers get a moment to notice it and report it, then SIGTERM, then SIGKILL when
// the grace period is over. A signal to the launcher is passed on to the workers in the same way. A worker that exited
// successfully without joining counts as a failure as soon as another waits for it in World::join(). When this returns,
// no descendant of a worker is left.

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/deadline.h"
#include "cli/run/console.h"
#include "cli/run/ending.h"
#include "cli/run/memory_kills.h"
#include "cli/run/plan.h"
#include "cli/run/signal_inbox.h"
#include "cli/run/worker.h"

namespace lockstep::run {

class Attempt {
 public:
  // `front` is the process whose death stops everything at once.
  Attempt(const Plan& plan, AttemptContext context, Console& console, SignalInbox& signals, pid_t front);

  AttemptOutcome run();

 private:
  enum class Phase { kRunning, kSettling, kEnding, kStopping, kKilling };

  void start_workers();
  bool any_running() const;
  bool any_ends_by_itself() const;
  bool any_joining() const;
  bool any_stayed_away() const;
  std::string backend_conflict() const;
  void wait_for_events();
  void take_signals();
  void take_signal(int number);
  void take_output();
  void take_endings();
  void note_ending(WorkerEnding ending);
  void end_hopeless_joins();
  void next_phase();
  void enter(Phase phase, std::chrono::nanoseconds limit);
  void stop_workers(int signal_number);
  void kill_workers();
  std::set<pid_t> worker_pids() const;

  const Plan& plan_;
  const AttemptContext context_;
  Console& console_;
  SignalInbox& signals_;
  const pid_t front_;
  MemoryKills memory_kills_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Phase phase_ = Phase::kRunning;
  Deadline phase_end_;
  AttemptOutcome outcome_;
};

}  // namespace lockstep::run
