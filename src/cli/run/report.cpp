#include "cli/run/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "base/duration_text.h"
#include "base/exception_text.h"
#include "cli/run/code_line.h"
#include "cli/run/number_ranges.h"
#include "config/printable.h"

namespace lockstep::run {
namespace {

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Each line of `text` after `mark`, safe for a terminal whatever a worker wrote.
std::string quoted(std::string_view text, std::string_view mark) {
  std::string result;
  while (!text.empty()) {
    const auto end = text.find('\n');
    result += fmt::format("\n{}{}", mark, config::printable(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return result;
}

std::string steps_text(const WorkerEnding& ending) {
  if (!ending.is_ours) {
    return "";
  }
  return ending.steps == 0 ? ", before its first step"
                           : fmt::format(", after {}", plural(ending.steps, "step"));
}

std::string ranks_text(const AttemptReport& report, const std::vector<std::size_t>& indices) {
  std::vector<int> ranks;
  ranks.reserve(indices.size());
  for (const std::size_t i : indices) {
    ranks.push_back(report.outcome.endings[i].rank);
  }
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", number_ranges(ranks));
}

// Why a rank that exited with 0 counts as failed.
std::string why_too_early(const AttemptReport& report, const WorkerEnding& first) {
  if (!first.status.ok()) {
    return "";
  }
  if (!report.verdict.waiting.empty()) {
    return fmt::format(" without joining; {} waited for it in World::join()",
                       ranks_text(report, report.verdict.waiting));
  }
  return first.stage == JoinStage::kJoined ? " in the middle of the job, without leaving it"
                                           : " before the others had finished with it";
}

bool is_forbidden_write(const WorkerEnding& ending) {
  return ending.error && ending.error->code == kForbiddenWrite;
}

// A signal is only the kernel's view; the worker's own report has the reason.
std::string what_it_did(const AttemptReport& report, const WorkerEnding& first) {
  if (!is_forbidden_write(first)) {
    return how_it_ended(first) + why_too_early(report, first);
  }
  const std::string message = config::printable(with_code_line(first.error->message));
  const std::string who = fmt::format("rank {} ", first.rank);
  return message.starts_with(who) ? message.substr(who.size()) : message;
}

std::string headline(const Plan& plan, const AttemptReport& report, const WorkerEnding& first) {
  const std::string where = fmt::format("process {} on {}", first.pid, plan.host);
  const auto after = first.time - report.outcome.start_time;
  const bool alone = report.verdict.consequences.empty() && report.verdict.others.empty();
  return fmt::format("rank {} {}: it {}\n  {} of '{}', {} after the start{}", first.rank,
                     alone ? "failed" : "failed first", what_it_did(report, first), where,
                     config::printable(plan.command[0]), duration_text(after), steps_text(first));
}

// A worker's report, shortened: without libtorch's frames, and with the innermost of the others.
std::string essence_of(const std::string& details) {
  constexpr int kFrames = 12;
  std::istringstream lines(without_frames(details));
  std::string text;
  int frames = 0;
  for (std::string line; std::getline(lines, line);) {
    frames += line.starts_with('#') ? 1 : 0;
    if (!line.starts_with('#') || frames <= kFrames) {
      text += line + "\n";
    }
  }
  return frames > kFrames ? text + fmt::format("... and {} more\n", frames - kFrames) : text;
}

std::string cause_text(const WorkerEnding& first) {
  if (!first.error || is_forbidden_write(first)) {
    return "";
  }
  const ErrorRecord& error = *first.error;
  const bool has_more = !error.details.empty() && error.details != error.message;
  std::string text = "\n  what it said:" +
                     quoted(has_more ? essence_of(error.details) : without_frames(error.message), "    ");
  if (!first.error_file.empty()) {
    text += "\n  (from " + first.error_file + ")";
  }
  return text;
}

// Whether its last lines repeat its report.
bool repeats_reason(const WorkerEnding& first) {
  if (!first.error) {
    return false;
  }
  const std::string reason = without_frames(first.error->message);
  return !reason.empty() && first.last_output.find(reason.substr(0, reason.find('\n'))) != std::string::npos;
}

std::string output_text(const WorkerEnding& first) {
  return first.last_output.empty() || repeats_reason(first)
             ? ""
             : "\n  its last lines on standard error:" + quoted(first.last_output, "    | ");
}

// A rank lost a peer on another host: all that this launcher can know about which rank failed first.
std::string elsewhere_text(const Plan& plan, const WorkerEnding& first) {
  const bool blames = first.error && first.error->is_consequence() && first.error->peer;
  if (!blames) {
    return "";
  }
  const int peer = *first.error->peer;
  const bool is_here = std::any_of(plan.workers.begin(), plan.workers.end(),
                                   [peer](const WorkerPlan& worker) { return worker.rank == peer; });
  return is_here ? ""
                 : fmt::format("\n  what failed is elsewhere: rank {} of another host, as rank {} saw it",
                               peer, first.rank);
}

std::string consequence_text(const WorkerEnding& ending) {
  const bool knows = ending.error->peer.has_value();
  return fmt::format("\n    rank {} {}, {}", ending.rank, ending.status.describe(),
                     knows ? fmt::format("since it lost rank {}", *ending.error->peer)
                           : config::printable(ending.error->message));
}

std::string aftermath_text(const AttemptReport& report) {
  const auto& endings = report.outcome.endings;
  std::string text;
  if (!report.verdict.consequences.empty()) {
    text += "\n  as a consequence:";
    for (const std::size_t i : report.verdict.consequences) {
      text += consequence_text(endings[i]);
    }
  }
  if (!report.verdict.others.empty()) {
    text += "\n  also failed, later:";
    for (const std::size_t i : report.verdict.others) {
      text += fmt::format(
          "\n    rank {} {}{}", endings[i].rank, how_it_ended(endings[i]),
          endings[i].status.ok() && endings[i].stage == JoinStage::kNone ? " without joining" : "");
    }
  }
  return text;
}

std::string stopped_text(const Plan& plan, const AttemptReport& report) {
  std::vector<int> gentle;
  std::vector<int> killed;
  for (const std::size_t i : report.verdict.stopped) {
    const WorkerEnding& ending = report.outcome.endings[i];
    (ending.stop_signal == SIGKILL ? killed : gentle).push_back(ending.rank);
  }
  std::string text;
  if (!gentle.empty()) {
    text += fmt::format("\n  stopped by the launcher: {} {}", gentle.size() == 1 ? "rank" : "ranks",
                        number_ranges(gentle));
  }
  if (!killed.empty()) {
    const std::string reason =
        report.outcome.grace_passed
            ? fmt::format(", still running {} after being asked to stop", duration_text(plan.grace))
            : "";
    text += fmt::format("\n  killed by the launcher{}: {} {}", reason, killed.size() == 1 ? "rank" : "ranks",
                        number_ranges(killed));
  }
  return text;
}

}  // namespace

std::string how_it_ended(const WorkerEnding& ending) {
  return ending.status.describe() + (ending.out_of_memory ? ": out of memory, says its control group" : "");
}

std::string report_text(const Plan& plan, const AttemptReport& report) {
  const AttemptOutcome& outcome = report.outcome;
  if (outcome.start_error) {
    return "nothing was run: " + config::printable(outcome.start_error->message());
  }
  if (report.verdict.ok()) {
    return "";
  }
  std::string text;
  if (!outcome.join_conflict.empty()) {
    text = outcome.join_conflict;
  } else if (report.verdict.first) {
    const WorkerEnding& first = outcome.endings[*report.verdict.first];
    text =
        headline(plan, report, first) + elsewhere_text(plan, first) + cause_text(first) + output_text(first);
  } else {
    text = fmt::format("ended by {} after {}", signal_name(outcome.signal), duration_text(outcome.duration));
  }
  text += aftermath_text(report) + stopped_text(plan, report);
  if (!report.log_folder.empty()) {
    text += "\n  logs: " + report.log_folder.string();
  }
  if (!report.advice.reason.empty()) {
    text += "\n  " + report.advice.reason;
  }
  return text;
}

std::string remark_text(const Plan& plan, const AttemptReport& report) {
  const auto& endings = report.outcome.endings;
  const bool is_ours =
      std::any_of(endings.begin(), endings.end(), [](const WorkerEnding& ending) { return ending.is_ours; });
  if (!report.verdict.ok() || report.outcome.signal != 0 || is_ours || plan.world_size == 1) {
    return "";
  }
  return fmt::format(
      "no rank called lockstep::World::join(): {} copies of the program ran without knowing of each "
      "other, unless they met by other means",
      plan.world_size);
}

}  // namespace lockstep::run
