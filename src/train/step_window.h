#pragma once

// The steps since the last row of metrics, as one row: means over their samples, rates over their time.

#include <vector>

#include "lockstep/metric_row.h"
#include "lockstep/train_callback.h"

namespace lockstep::train {

class StepWindow {
 public:
  void add(const StepInfo& info);

  bool is_empty() const { return steps_ == 0; }
  double samples_per_second() const;
  double communication_share() const;
  double data_share() const;
  // Of the last step, as of `seconds` since the run began.
  MetricRow row(double seconds) const;
  void clear();

 private:
  std::int64_t steps_ = 0;
  double samples_ = 0;
  double seconds_ = 0;
  double communication_ = 0;
  double data_ = 0;
  std::vector<MetricValue> sums_;  // of loss and metrics, each times its samples
  StepInfo last_;
};

}  // namespace lockstep::train
