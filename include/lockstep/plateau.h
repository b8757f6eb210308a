#pragma once

// Lowers the learning rate when a metric has stopped to improve. Unlike a schedule it has a state, which belongs into a
// checkpoint.

#include <optional>

#include "lockstep/config_description.h"

namespace lockstep {

struct PlateauOptions {
  double factor = 0.1;      // by which the rate is lowered
  int patience = 10;        // observations without improvement that are borne
  double threshold = 1e-4;  // an improvement is at least this much of the best value
  int cooldown = 0;         // observations after a cut that do not count
  double least_scale = 0;   // the rate never falls below this share of what it was
  bool higher_is_better = false;

  void describe(config::Description& d);
};

struct PlateauState {
  std::optional<double> best;
  int bad = 0;  // observations since the best one
  int cooldown = 0;
  double scale = 1;

  bool operator==(const PlateauState&) const = default;
};

class Plateau {
 public:
  explicit Plateau(const PlateauOptions& options, PlateauState state = {})
      : options_(options), state_(state) {}

  // Takes a new value of the metric and returns what to multiply the learning rate with. A value that is not a number
  // counts as no improvement.
  double observe(double metric);

  double scale() const { return state_.scale; }
  const PlateauState& state() const { return state_; }
  void restore(const PlateauState& state) { state_ = state; }

 private:
  bool improves(double metric) const;

  PlateauOptions options_;
  PlateauState state_;
};

}  // namespace lockstep
