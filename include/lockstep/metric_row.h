#pragma once

// The metrics of a run at one moment: some numbers, and when they were taken.
//
//   MetricRow row{.phase = "train", .step = 1240, .epoch = 3.1, .seconds = 42.5};
//   row.values = {{"loss", 0.12}, {"learning_rate", 3e-4}, {"samples_per_second", 12345}};
//
// Any name is allowed; a value that is not finite is kept as it is. The report knows some names and shows them with a
// title and a unit: loss, accuracy, learning_rate, samples_per_second, gradient_norm, loss_scale, communication_share
// and data_share (fractions of the step time, 0 to 1), and skipped_steps (since the start of the run).

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

struct MetricValue {
  std::string name;
  double value = 0;

  friend bool operator==(const MetricValue&, const MetricValue&) = default;
};

struct MetricRow {
  std::string phase = {};  // "train", "eval"
  std::int64_t step = 0;   // optimizer steps done
  double epoch = 0;        // 2.5: halfway through the third
  double seconds = 0;      // since the start of the run
  std::vector<MetricValue> values = {};
};

}  // namespace lockstep
