#pragma once

// How far a run is, as one line:
//
//   epoch 3/10  step 1,240/4,000  loss 0.1234  lr 3.0e-04  12,345 samples/s  comm 4 %  data 1 %  ETA 0:03:12

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/metric_row.h"

namespace lockstep {

struct ProgressState {
  std::int64_t step = 0;
  std::int64_t steps = 0;  // 0: unknown
  double epoch = 0;        // 2.5: in the middle of the third
  double epochs = 0;       // 0: unknown
  double loss = 0;
  std::vector<MetricValue> metrics = {};  // shown after the loss
  double learning_rate = 0;
  double samples_per_second = 0;   // of all ranks
  double communication_share = 0;  // of the time, 0 to 1
  double data_share = 0;
  std::optional<std::chrono::seconds> eta = {};
};

// At most `columns` wide: the least important fields are dropped first, step and loss last.
std::string progress_text(const ProgressState& state, std::size_t columns);

}  // namespace lockstep
