#pragma once

// Teams of workers that train the same thing and take turns, round after round, in an order that rotates by one each
// time, so that disturbances of the machine affect all of them alike.
//
// Teams that persist sleep when it is not their turn. But then each has its own memory for the whole contest, and on
// virtual machines not all memory is equally fast: the same program was up to 8 % slower in some of it than in the
// rest. Teams that restart for each turn, one at a time, get the memory that the previous one has just freed.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bench/core_watch.h"
#include "cli/bench/measurements.h"
#include "cli/bench/progress.h"
#include "cli/bench/worker_group.h"

namespace lockstep::bench {

struct Pace {
  int rounds = 1;
  std::chrono::nanoseconds time_per_round{};  // for each team; more if two steps would not fit
  std::chrono::nanoseconds patience{};        // for each answer of a worker
  bool anew = false;                          // teams restart for each turn
};

// The order of the teams in a round, counted from 0.
std::vector<std::size_t> order_of_turns(int round, std::size_t teams);

class Contest {
 public:
  // `title` says what the teams train. `progress` and, if set, `watch` must outlive this object.
  Contest(std::string title, const Pace& pace, Progress& progress, CoreWatch* watch = nullptr)
      : title_(std::move(title)), pace_(pace), progress_(progress), watch_(watch) {}

  struct WarmUp {
    std::string version;  // reported by rank 0 of the team
    std::vector<Answer> answers;
  };

  void enter(std::string_view name, WorkerTeam team);

  // Starts all teams, runs their first steps and determines how many fit into a round. Throws Error with the team and
  // the rank when a worker fails, as does take_turns().
  std::vector<WarmUp> warm_up(int steps);

  // Runs all rounds, after the warm-up: as many steps for each team as fit for the slowest. Returns the measurements of
  // each team.
  std::vector<Measurements> take_turns();

 private:
  struct Entrant {
    std::string name;
    WorkerTeam team;
    std::optional<WorkerGroup> workers = {};
    Measurements seen = {};
  };

  WarmUp start(Entrant& entrant, int steps);
  void measure(Entrant& entrant);
  void show(std::string_view what, std::string_view name);

  std::string title_;
  Pace pace_;
  Progress& progress_;
  CoreWatch* watch_;
  std::vector<Entrant> entrants_;
  int warm_up_steps_ = 0;
  int steps_ = 0;  // of each team in each round
};

}  // namespace lockstep::bench
