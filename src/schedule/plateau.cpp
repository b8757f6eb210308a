#include "lockstep/plateau.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep {

void PlateauOptions::describe(config::Description& d) {
  constexpr int kMost = std::numeric_limits<int>::max();
  d.option("factor", factor, "factor that lowers the learning rate").range(0.0, 1.0);
  d.option("patience", patience, "evaluations without improvement to tolerate").range(0, kMost);
  d.option("threshold", threshold, "smallest improvement, relative to the best value").range(0.0, 1.0);
  d.option("cooldown", cooldown, "evaluations to ignore after lowering the rate").range(0, kMost);
  d.option("least-scale", least_scale, "lower bound, relative to the scheduled learning rate")
      .range(0.0, 1.0);
  d.option("higher-is-better", higher_is_better, "higher values of the metric are better");
}

bool Plateau::improves(double metric) const {
  if (std::isnan(metric)) {
    return false;
  }
  if (!state_.best) {
    return true;
  }
  const double margin = options_.threshold * std::abs(*state_.best);
  return options_.higher_is_better ? metric > *state_.best + margin : metric < *state_.best - margin;
}

double Plateau::observe(double metric) {
  if (improves(metric)) {
    state_.best = metric;
    state_.bad = 0;
  } else {
    ++state_.bad;
  }
  if (state_.cooldown > 0) {
    --state_.cooldown;
    state_.bad = 0;
  }
  if (state_.bad > options_.patience) {
    state_.scale = std::max(state_.scale * options_.factor, options_.least_scale);
    state_.cooldown = options_.cooldown;
    state_.bad = 0;
  }
  return state_.scale;
}

}  // namespace lockstep
