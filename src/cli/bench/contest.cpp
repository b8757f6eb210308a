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

void Contest::enter(std::string_view name, WorkerTeam team) {
  entrants_.push_back({.name = std::string(name), .team = std::move(team)});
}

Contest::WarmUp Contest::start(Entrant& entrant, int steps) {
  entrant.workers.emplace(entrant.team, pace_.patience);
  WarmUp warm_up{.version = entrant.workers->join(0), .answers = {}};
  warm_up.answers = ask_for_steps(*entrant.workers, steps);
  return warm_up;
}

std::vector<Contest::WarmUp> Contest::warm_up(int steps) {
  std::vector<WarmUp> warm_ups;
  double slowest = 0;
  warm_up_steps_ = steps;
  for (Entrant& entrant : entrants_) {
    show("starting", entrant.name);
    const std::vector<double> times = slowest_ms(warm_ups.emplace_back(start(entrant, steps)).answers);
    slowest = std::max(slowest, *std::min_element(times.begin(), times.end()));
    if (pace_.anew) {
      entrant.workers.reset();
    }
  }
  steps_ =
      steps_within(pace_.time_per_round, std::chrono::nanoseconds(static_cast<std::int64_t>(slowest * 1e6)));
  return warm_ups;
}

std::vector<Measurements> Contest::take_turns() {
  for (int round = 0; round < pace_.rounds; ++round) {
    for (const std::size_t turn : order_of_turns(round, entrants_.size())) {
      Entrant& entrant = entrants_[turn];
      show(fmt::format("round {} of {},", round + 1, pace_.rounds), entrant.name);
      if (pace_.anew) {
        start(entrant, warm_up_steps_);
      }
      measure(entrant);
      if (pace_.anew) {
        entrant.workers.reset();
      }
    }
  }
  std::vector<Measurements> seen;
  for (Entrant& entrant : entrants_) {
    seen.push_back(std::move(entrant.seen));
  }
  return seen;
}

// Workers sleep before and after this.
void Contest::measure(Entrant& entrant) {
  if (watch_ != nullptr) {
    watch_->begin_turn();
  }
  measure_steps(*entrant.workers, steps_, entrant.seen);
  if (watch_ != nullptr) {
    watch_->end_turn();
  }
}

void Contest::show(std::string_view what, std::string_view name) {
  progress_.show(fmt::format("{}: {} {}", title_, what, name));
}

}  // namespace lockstep::bench
