#pragma once

// Tracks which evaluation was the best, and how long ago.

#include <cstdint>
#include <utility>
#include <vector>

#include "lockstep/metric_row.h"
#include "lockstep/train_options.h"

namespace lockstep::train {

// The part that a checkpoint stores.
struct BestMetricState {
  std::vector<MetricValue> metrics = {};  // of the best evaluation; empty when there was none
  double value = 0;                       // the deciding metric
  std::int64_t step = 0;
  int bad = 0;  // evaluations since the best one
};

class BestMetric {
 public:
  explicit BestMetric(BestOptions options) : options_(std::move(options)) {}

  // Records an evaluation and returns whether it is better than all earlier ones. NaN never is. Throws
  // Error{kInvalidConfig} if the configured metric is missing.
  bool observe(std::int64_t step, const std::vector<MetricValue>& metrics);

  // The deciding metric.
  double value_in(const std::vector<MetricValue>& metrics) const;

  // As many evaluations without improvement as the options tolerate.
  bool is_out_of_patience() const { return options_.patience > 0 && state_.bad >= options_.patience; }

  const BestMetricState& state() const { return state_; }
  void restore(BestMetricState state) { state_ = std::move(state); }

 private:
  BestOptions options_;
  BestMetricState state_;
};

}  // namespace lockstep::train
