#include "cli/bench/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "cli/bench/training_team.h"

namespace lockstep::bench {

std::vector<std::size_t> order_of_turns(int round, std::size_t teams) {
  std::vector<std::size_t> order;
  for (std::size_t turn = 0; turn < teams; ++turn) {
    order.push_back((static_cast<std::size_t>(round) + turn) % teams);
  }
  return order;
}

std::string Contest::enter(std::string_view name, const WorkerTeam& team) {
  show("starting", name);
  Entrant& entrant =
      entrants_.emplace_back(Entrant{.name = std::string(name), .workers = {team, pace_.patience}});
  return entrant.workers.join(0);
}

std::vector<std::vector<Answer>> Contest::warm_up(int steps) {
  std::vector<std::vector<Answer>> answers;
  double slowest = 0;
  for (Entrant& entrant : entrants_) {
    show("warming up", entrant.name);
    const std::vector<double> times = slowest_ms(answers.emplace_back(ask_for_steps(entrant.workers, steps)));
    slowest = std::max(slowest, *std::min_element(times.begin(), times.end()));
  }
  steps_ =
      steps_within(pace_.time_per_round, std::chrono::nanoseconds(static_cast<std::int64_t>(slowest * 1e6)));
  return answers;
}

std::vector<Measurements> Contest::take_turns() {
  for (int round = 0; round < pace_.rounds; ++round) {
    for (const std::size_t turn : order_of_turns(round, entrants_.size())) {
      Entrant& entrant = entrants_[turn];
      show(fmt::format("round {} of {},", round + 1, pace_.rounds), entrant.name);
      measure_steps(entrant.workers, steps_, entrant.seen);
    }
  }
  std::vector<Measurements> seen;
  for (Entrant& entrant : entrants_) {
    seen.push_back(std::move(entrant.seen));
  }
  return seen;
}

void Contest::show(std::string_view what, std::string_view name) {
  progress_.show(fmt::format("{}: {} {}", title_, what, name));
}

}  // namespace lockstep::bench
