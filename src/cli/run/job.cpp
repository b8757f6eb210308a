#include "cli/run/job.h"

#include <fmt/format.h>

#include <csignal>
#include <optional>
#include <utility>
#include <vector>

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
  signals.insert({SIGCHLD, SIGTERM});  // the second comes when the front is gone
  return signals;
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
    console.flush();  // the report comes after what it speaks of
    console.say(report_text(plan, attempts.back()));
    if (!attempts.back().advice.restart) {
      break;
    }
    console.say(fmt::format("restarting all workers ({} of {})", number + 1, plan.max_restarts));
  }
  const int exit_code = attempts.back().verdict.exit_code;
  report_file.write(report_json(plan, attempts, exit_code));
  console.flush();
  return exit_code;
}

}  // namespace lockstep::run
