#pragma once

// Which evaluation was the best, and how long ago.

#include <cstdint>
#include <utility>
#include <vector>

#include "lockstep/metric_row.h"
#include "lockstep/train_options.h"

namespace lockstep::train {

// What a checkpoint keeps.
struct BestMetricState {
  std::vector<MetricValue> metrics = {};  // of the best evaluation; empty when there was none
  double value = 0;                       // the one that decides
  std::int64_t step = 0;
  int bad = 0;  // evaluations since the best one
};

class BestMetric {
 public:
  explicit BestMetric(BestOptions options) : options_(std::move(options)) {}

  // Takes an evaluation; whether it is better than all before. One that is not a number never is. Throws
  // Error{kInvalidConfig} when it has no metric of the name that was asked for.
  bool observe(std::int64_t step, const std::vector<MetricValue>& metrics);

  // The number that decides.
  double value_in(const std::vector<MetricValue>& metrics) const;

  // As many evaluations have brought no improvement as the options bear.
  bool is_out_of_patience() const { return options_.patience > 0 && state_.bad >= options_.patience; }

  const BestMetricState& state() const { return state_; }
  void restore(BestMetricState state) { state_ = std::move(state); }

 private:
  BestOptions options_;
  BestMetricState state_;
};

}  // namespace lockstep::train
