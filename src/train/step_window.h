#pragma once

// Aggregates the steps since the last row of metrics into one row: means over their samples, rates over their time.

#include <optional>
#include <utility>

#include "lockstep/metric_row.h"
#include "lockstep/train_callback.h"

namespace lockstep::train {

void add_step(StepSums& sums, const StepInfo& info);

// Whether a row is written after `step`, in a run of `steps`.
bool ends_window(std::int64_t step, std::int64_t steps, std::int64_t log_every);

class StepWindow {
 public:
  StepWindow() = default;
  // Continues after steps whose times are unknown.
  explicit StepWindow(StepSums before) : sums_(std::move(before)) {}

  void add(const StepInfo& info);

  // No step was added, so there is no row.
  bool is_empty() const { return !last_; }
  double samples_per_second() const;
  double communication_share() const;
  double data_share() const;
  // The row of the last step, `seconds` after the run began. Requires a window that is not empty.
  MetricRow row(double seconds) const;
  void clear();

 private:
  StepSums sums_;
  double timed_samples_ = 0;
  double seconds_ = 0;
  double communication_ = 0;
  double data_ = 0;
  std::optional<StepInfo> last_;
};

}  // namespace lockstep::train
