#pragma once

// What a run reports of one moment: some numbers, and when they were taken.
//
//   MetricRow row{.phase = "train", .step = 1240, .epoch = 3.1, .seconds = 42.5};
//   row.values = {{"loss", 0.12}, {"learning_rate", 3e-4}, {"samples_per_second", 12345}};
//
// Any name will do; a value that is not finite is kept as what it is. Some names are known to the report, which shows
// them under a title of their own and with their unit: loss, accuracy, learning_rate, samples_per_second,
// gradient_norm, loss_scale, communication_share and data_share (of the time of a step, 0 to 1), and skipped_steps
// (since the run began).

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
  double epoch = 0;        // 2.5: in the middle of the third
  double seconds = 0;      // since the run began
  std::vector<MetricValue> values = {};
};

}  // namespace lockstep
