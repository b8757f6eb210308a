#include "cli/run/job.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "base/random_token.h"
#include "cli/output_file.h"
#include "cli/run/attempt.h"
#include "cli/run/console.h"
#include "cli/run/front.h"
#include "cli/run/log_folder.h"
#include "cli/run/report.h"
#include "cli/run/report_json.h"
#include "cli/run/signal_inbox.h"

namespace lockstep::run {
namespace {

std::set<int> signals_of(const Plan& plan) {
  std::set<int> signals = forwarded_signals(plan);
  signals.insert({SIGCHLD, SIGTERM});  // SIGTERM arrives when the front is gone
  return signals;
}

// Waits until all output is written, however slowly it is read. Returns false if the deadline passed, the job was told
// to stop, or its front is gone.
bool flush(Console& console, SignalInbox& signals, const Plan& plan, pid_t front, const Deadline& deadline) {
  bool told_to_end = false;
  while (!console.is_idle()) {
    LineSink& out = console.sink(Console::Stream::kOut);
    LineSink& err = console.sink(Console::Stream::kErr);
    std::array<pollfd, 3> events = {{{.fd = signals.fd(), .events = POLLIN, .revents = 0},
                                     {.fd = out.room_fd(), .events = POLLIN, .revents = 0},
                                     {.fd = err.room_fd(), .events = POLLIN, .revents = 0}}};
    if (poll(events.data(), events.size(), deadline.poll_timeout_ms()) < 0 && errno != EINTR) {
      throw Error::from_errno(errno, "poll");
    }
    out.acknowledge_room();
    err.acknowledge_room();
    for (const int number : signals.take()) {
      told_to_end = told_to_end || plan.ending_signals.count(number) != 0;
    }
    if (told_to_end || deadline.expired() || getppid() != front) {
      return false;
    }
  }
  return true;
}

// Output is not worth waiting for once the job was told to stop.
Deadline patience_after(const AttemptOutcome& outcome) {
  return Deadline::after(outcome.signal != 0 ? std::chrono::seconds(2) : std::chrono::hours(24));
}

AttemptReport run_attempt(const Plan& plan, int number, const LogFolder* folder, Console& console,
                          SignalInbox& signals, pid_t front) {
  if (folder != nullptr) {
    folder->prepare(number, plan);
  }
  AttemptReport report{.attempt = number};
  const AttemptContext context{.number = number, .token = random_token(), .folder = folder};
  report.outcome = Attempt(plan, context, console, signals, front).run();
  report.verdict = judge(report.outcome);
  report.advice = advise_restart(report.outcome, report.verdict, number, plan.max_restarts,
                                 plan.restart_on_start_failure);
  report.log_folder = folder != nullptr ? folder->of_attempt(number) : std::filesystem::path();
  return report;
}

}  // namespace

int run_job(const Plan& plan, cli::OutputFile& report_file, pid_t front) {
  SignalInbox signals(signals_of(plan));
  Console console(plan);
  const auto folder = plan.log_dir ? std::optional<LogFolder>(LogFolder(*plan.log_dir, plan)) : std::nullopt;
  std::vector<AttemptReport> attempts;
  for (int number = 0;; ++number) {
    attempts.push_back(run_attempt(plan, number, folder ? &*folder : nullptr, console, signals, front));
    const Deadline patience = patience_after(attempts.back().outcome);
    // The report comes after the output that it describes.
    const bool read_in_time = flush(console, signals, plan, front, patience);
    console.say(report_text(plan, attempts.back()));
    console.say(remark_text(plan, attempts.back()));
    if (!attempts.back().advice.restart || !read_in_time) {
      break;
    }
    console.say(fmt::format("restarting all workers ({} of {})", number + 1, plan.max_restarts));
  }
  const int exit_code = attempts.back().verdict.exit_code;
  report_file.write(report_json(plan, attempts, exit_code));
  flush(console, signals, plan, front, patience_after(attempts.back().outcome));
  return exit_code;
}

}  // namespace lockstep::run
