#include "cli/run/plan_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration_text.h"
#include "cli/run/number_ranges.h"

namespace lockstep::run {
namespace {

// As typed in a shell.
std::string shell_word(const std::string& word) {
  const bool is_plain = !word.empty() && word.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyz"
                                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_-+=./:,@%") == std::string::npos;
  if (is_plain) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return quoted + "'";
}

// Variables with the same value on every rank of this host.
bool is_shared(const Plan& plan, const std::string& name, const std::string& value) {
  return std::all_of(plan.workers.begin(), plan.workers.end(), [&](const WorkerPlan& worker) {
    const auto found = worker.environment.find(name);
    return found != worker.environment.end() && found->second == value;
  });
}

std::string streams_text(const WorkerPlan& worker) {
  const auto text = [](bool file, bool console) {
    return file ? (console ? "file and here" : "file") : (console ? "here" : "nowhere");
  };
  const std::string out = text(worker.to_file.out, worker.to_console.out);
  const std::string err = text(worker.to_file.err, worker.to_console.err);
  return out == err ? out : fmt::format("stdout {}, stderr {}", out, err);
}

std::string worker_text(const Plan& plan, const WorkerPlan& worker) {
  std::string text =
      fmt::format("rank {} (local rank {}): {}; output: {}\n ", worker.rank, worker.local_rank,
                  worker.cores.empty() ? "not bound to cores" : "cores " + number_ranges(worker.cores),
                  streams_text(worker));
  for (const auto& [name, value] : worker.environment) {
    if (plan.workers.size() == 1 || !is_shared(plan, name, value)) {
      text += fmt::format(" {}={}", name, shell_word(value));
    }
  }
  return text + "\n";
}

}  // namespace

std::string plan_text(const Plan& plan) {
  std::string text = fmt::format("host {} ({} of {}): ranks {}-{} of {}, run '{}'\n", plan.host,
                                 plan.node_rank + 1, plan.node_count, plan.workers.front().rank,
                                 plan.workers.back().rank, plan.world_size, plan.run_id);
  text += plan.picture + "command:";
  for (const std::string& word : plan.command) {
    text += " " + shell_word(word);
  }
  text += fmt::format("\nrestarts: {}; from SIGTERM to SIGKILL: {}\n", plan.max_restarts,
                      duration_text(plan.grace));
  if (plan.workers.size() > 1) {
    text += "environment of all:\n";
    for (const auto& [name, value] : plan.workers.front().environment) {
      if (is_shared(plan, name, value)) {
        text += fmt::format("  {}={}\n", name, shell_word(value));
      }
    }
  }
  for (const WorkerPlan& worker : plan.workers) {
    text += worker_text(plan, worker);
  }
  return text;
}

}  // namespace lockstep::run
