#include "cli/bench/training_team.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "cli/helper_program.h"
#include "cli/huge_pages.h"
#include "lockstep/error.h"

namespace lockstep::bench {

std::filesystem::path find_step_worker() {
  std::filesystem::path program = cli::find_helper_program("lockstep-bench-step");
  if (program.empty()) {
    throw Error(ErrorCode::kUnsupported,
                "this lockstep was built without libtorch; build it with LOCKSTEP_WITH_TORCH=ON");
  }
  return program;
}

WorkerTeam make_team(const TrainingTeam& team, const std::filesystem::path& step_worker) {
  WorkerTeam workers{.name = team.name, .ranks = team.ranks};
  // As `lockstep run` starts ranks.
  workers.process.environment = {{"OMP_NUM_THREADS", "1"},
                                 {"MKL_NUM_THREADS", "1"},
                                 {std::string(cli::kHugePagesVariable), std::string(cli::kHugePagesValue)}};
  for (int rank = 0; rank < team.ranks; ++rank) {
    auto& words = workers.commands.emplace_back(std::vector{step_worker.string()});
    words.insert(words.end(), {"--model", std::string(to_string(team.training.model)), "--batch",
                               fmt::format("{}", team.training.batch)});
    if (team.training.width > 0) {
      words.insert(words.end(), {"--width", fmt::format("{}", team.training.width)});
    }
    words.insert(words.end(), {"--method", std::string(to_string(team.method)), "--size",
                               fmt::format("{}", team.ranks), "--rank", fmt::format("{}", rank)});
  }
  return workers;
}

int steps_within(std::chrono::nanoseconds time, std::chrono::nanoseconds step) {
  constexpr std::int64_t kFewestSteps = 2;
  constexpr std::int64_t kMostSteps = 200;
  return static_cast<int>(
      std::clamp<std::int64_t>(time / std::max(step, std::chrono::nanoseconds(1)), kFewestSteps, kMostSteps));
}

std::vector<Answer> ask_for_steps(WorkerGroup& workers, int steps) {
  return workers.ask({.kind = OrderKind::kMeasure, .bytes = 0, .iterations = steps, .invitation = {}});
}

std::vector<double> slowest_ms(const std::vector<Answer>& answers) {
  std::vector<double> times(answers.front().times_ns.size());
  for (std::size_t step = 0; step < times.size(); ++step) {
    for (const Answer& answer : answers) {
      times[step] = std::max(times[step], static_cast<double>(answer.times_ns[step]) / 1e6);
    }
  }
  return times;
}

std::vector<MemoryUse> memory_use_of(const WorkerGroup& workers) {
  std::vector<MemoryUse> uses;
  for (const pid_t process : workers.processes()) {
    uses.push_back(memory_use_of(process));
  }
  return uses;
}

void measure_steps(WorkerGroup& workers, int steps, Measurements& seen) {
  const std::vector<double> times = slowest_ms(ask_for_steps(workers, steps));
  seen.times_ms.insert(seen.times_ms.end(), times.begin(), times.end());
  const std::vector<MemoryUse> memory = memory_use_of(workers);
  for (const MemoryUse& use : memory) {
    seen.peak_rss_bytes = std::max(seen.peak_rss_bytes, use.peak_rss);
  }
  seen.total_memory_bytes = std::max(seen.total_memory_bytes, memory_at_peak(memory));
}

}  // namespace lockstep::bench
