#pragma once

// Probes the first two usable cores, on which ranks 0 and 1 of every team run, before and after each turn of a
// benchmark whose workers do not do so themselves.

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cli/bench/ping_pong.h"

namespace lockstep::bench {

// The round trip of a flag between these cores: the median of some short series, less than a millisecond in all.
// Nothing if only one core is usable. Throws Error{kTimeout} when a thread gets no core for long.
std::optional<double> flag_round_trip_ns();

class CoreWatch {
 public:
  using Look = std::function<std::optional<double>()>;

  explicit CoreWatch(Look look = flag_round_trip_ns) : look_(std::move(look)) {}

  void begin_turn() { before_ns_ = look_(); }
  void end_turn();
  // Nothing if nothing was measured.
  std::optional<PingPong> summary() const;

 private:
  Look look_;
  std::optional<double> before_ns_;
  std::vector<double> round_trips_ns_;
  std::map<Proximity, int> turns_;
};

}  // namespace lockstep::bench
