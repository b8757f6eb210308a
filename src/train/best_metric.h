#pragma once

// Which evaluation was the best, and how long ago.

#include <cstdint>
#include <vector>

#include "lockstep/metric_row.h"
#include "lockstep/train_options.h"

namespace lockstep::train {

class BestMetric {
 public:
  explicit BestMetric(BestOptions options) : options_(std::move(options)) {}

  // Takes an evaluation; whether it is better than all before. One that is not a number never is. Throws
  // Error{kInvalidConfig} when it has no metric of the name that was asked for.
  bool observe(std::int64_t step, const std::vector<MetricValue>& metrics);

  // The number that decides.
  double value_in(const std::vector<MetricValue>& metrics) const;

  // As many evaluations have brought no improvement as the options bear.
  bool is_out_of_patience() const { return options_.patience > 0 && bad_ >= options_.patience; }
  const std::vector<MetricValue>& metrics() const { return metrics_; }  // empty when there was none
  std::int64_t step() const { return step_; }

 private:
  BestOptions options_;
  std::vector<MetricValue> metrics_;
  double value_ = 0;
  std::int64_t step_ = 0;
  int bad_ = 0;  // evaluations since the best one
};

}  // namespace lockstep::train
