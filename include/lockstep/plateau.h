#pragma once

// Lowers the learning rate when a metric stops improving. Unlike a schedule it has state, which belongs in a
// checkpoint.

#include <optional>

#include "lockstep/config_description.h"

namespace lockstep {

struct PlateauOptions {
  double factor = 0.1;      // multiplies the rate
  int patience = 10;        // observations without improvement to tolerate
  double threshold = 1e-4;  // smallest improvement that counts, relative to the best value
  int cooldown = 0;         // observations to ignore after a cut
  double least_scale = 0;   // lower bound of the rate, as a fraction of the original
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

  // Takes a new value of the metric and returns the factor for the learning rate. A NaN counts as no improvement.
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
