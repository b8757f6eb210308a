#include "cli/run/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "lockstep/failure.h"

namespace lockstep::run {
namespace {

// As in shells.
constexpr int kExitNotExecutable = 126;
constexpr int kExitNotFound = 127;

bool blames_peer(const WorkerEnding& ending) {
  return ending.error && ending.error->is_consequence();
}

// Whether another rank reports that it lost this one, which exited with 0.
bool was_missed(const AttemptOutcome& outcome, const WorkerEnding& ending) {
  return std::any_of(outcome.endings.begin(), outcome.endings.end(), [&](const WorkerEnding& other) {
    return !other.status.ok() && blames_peer(other) && other.error->peer == ending.rank;
  });
}

// The ranks that waited in World::join() in vain.
std::vector<std::size_t> still_joining(const AttemptOutcome& outcome) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < outcome.endings.size(); ++i) {
    if (outcome.endings[i].stage == JoinStage::kJoining && !outcome.endings[i].status.ok()) {
      found.push_back(i);
    }
  }
  return found;
}

// Whether it exited with 0 on its own in the middle of the job. A worker that was told to stop may do so.
bool ended_too_early(const AttemptOutcome& outcome, const WorkerEnding& ending) {
  if (!ending.status.ok() || ending.stop_signal != 0 || outcome.signal != 0) {
    return false;
  }
  const bool never_came = ending.stage == JoinStage::kNone && !still_joining(outcome).empty();
  return never_came || was_missed(outcome, ending);
}

// The distance from the cause: failures that blame a peer come last. Ranks of a subgroup have other numbers there, so a
// rank that left in order is taken for the cause only when no rank failed on its own.
int distance_from_cause(const WorkerEnding& ending) {
  if (ending.status.ok()) {
    return ending.stage == JoinStage::kLeft ? 1 : 0;
  }
  return blames_peer(ending) ? 2 : 0;
}

bool has_crashed(const WorkerEnding& ending) {
  static constexpr std::array kCrashes = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
  return std::find(kCrashes.begin(), kCrashes.end(), ending.status.signal) != kCrashes.end();
}

// Stopped by the launcher: it had not exited before, reported no error, and did not crash. A crashing process takes
// time to write its core, and may be told to stop meanwhile.
bool was_stopped(const WorkerEnding& ending) {
  return ending.stop_signal != 0 && !ending.error && !has_crashed(ending);
}

// Whether it failed without having been told to stop, by this launcher or by the sender of the job's signal.
bool failed_by_itself(const WorkerEnding& ending, int job_signal) {
  return ending.stop_signal == 0 && (job_signal == 0 || ending.status.signal != job_signal);
}

std::chrono::nanoseconds failure_time(const WorkerEnding& ending) {
  return ending.error && ending.error->time.count() > 0 ? std::min(ending.error->time, ending.time)
                                                        : ending.time;
}

// A worker that reported its failure may have been stopped before it exited: the launcher's signal is not the reason.
int failure_code(const WorkerEnding& ending) {
  if (ending.status.ok()) {
    return EXIT_FAILURE;  // too early
  }
  const bool by_launcher = ending.stop_signal != 0 && ending.status.signal == ending.stop_signal;
  return by_launcher ? EXIT_FAILURE : ending.status.shell_code();
}

int start_error_code(const Error& error) {
  return error.code() == ErrorCode::kNotFound ? kExitNotFound : kExitNotExecutable;
}

// A worker may have reacted to the signal in its own way, typically with "I saved, start me again"; otherwise the
// signal itself is the reason. If all workers exited with 0, they had finished.
int signalled_code(const AttemptOutcome& outcome) {
  int code = 0;
  for (const WorkerEnding& ending : outcome.endings) {
    const bool by_signal = ending.status.signal != 0;
    const int own = by_signal ? 128 + outcome.signal : ending.status.exit_code;
    if (own != 0 && (code == 0 || own == kExitTryAgain)) {
      code = own;
    }
  }
  return code;
}

// Whether a failure decides: any does if no signal came from outside, otherwise only one that preceded the signal.
bool has_first(const AttemptOutcome& outcome, const std::vector<std::size_t>& failed) {
  return !failed.empty() &&
         (outcome.signal == 0 || failed_by_itself(outcome.endings[failed.front()], outcome.signal));
}

}  // namespace

Verdict judge(const AttemptOutcome& outcome) {
  Verdict verdict;
  std::vector<std::size_t> failed;
  for (std::size_t i = 0; i < outcome.endings.size(); ++i) {
    const WorkerEnding& ending = outcome.endings[i];
    if (ending.status.ok() && !ended_too_early(outcome, ending)) {
      continue;
    }
    (was_stopped(ending) ? verdict.stopped : failed).push_back(i);
  }
  const auto earlier = [&](std::size_t a, std::size_t b) {
    const WorkerEnding& left = outcome.endings[a];
    const WorkerEnding& right = outcome.endings[b];
    return std::pair(distance_from_cause(left), failure_time(left)) <
           std::pair(distance_from_cause(right), failure_time(right));
  };
  std::stable_sort(failed.begin(), failed.end(), earlier);
  if (outcome.start_error) {
    verdict.exit_code = start_error_code(*outcome.start_error);
  } else if (!outcome.join_conflict.empty()) {
    verdict.exit_code = EXIT_FAILURE;
  } else if (has_first(outcome, failed)) {
    verdict.first = failed.front();
    verdict.exit_code = failure_code(outcome.endings[failed.front()]);
    if (outcome.endings[failed.front()].status.ok() &&
        outcome.endings[failed.front()].stage == JoinStage::kNone) {
      verdict.waiting = still_joining(outcome);
    }
  } else if (outcome.signal != 0) {
    verdict.exit_code = signalled_code(outcome);
  }
  for (const std::size_t i : failed) {
    if (verdict.first != i) {
      (blames_peer(outcome.endings[i]) ? verdict.consequences : verdict.others).push_back(i);
    }
  }
  return verdict;
}

RestartAdvice advise_restart(const AttemptOutcome& outcome, const Verdict& verdict, int attempt,
                             int max_restarts, bool on_start_failure) {
  if (verdict.ok() || outcome.signal != 0 || outcome.start_error || max_restarts == 0) {
    return {};
  }
  if (attempt >= max_restarts) {
    return {.restart = false,
            .reason = fmt::format("not restarted: all {} of --max-restarts are used up", max_restarts)};
  }
  const bool had_step = std::any_of(outcome.endings.begin(), outcome.endings.end(),
                                    [](const WorkerEnding& ending) { return ending.steps > 0; });
  if (had_step || on_start_failure) {
    return {.restart = true, .reason = ""};
  }
  const bool is_foreign = std::none_of(outcome.endings.begin(), outcome.endings.end(),
                                       [](const WorkerEnding& ending) { return ending.is_ours; });
  return {.restart = false,
          .reason = fmt::format(
              "not restarted: no worker had reported its first step{}; --restart-on-start-failure "
              "restarts in any case",
              is_foreign ? " (a program without Lockstep never does)" : "")};
}

}  // namespace lockstep::run
