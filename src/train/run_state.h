#pragma once

// The state of a run besides its tensors: the numbers of a checkpoint. The same on all ranks.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/grad_scaler.h"
#include "lockstep/metric_row.h"
#include "lockstep/plateau.h"
#include "lockstep/sampler.h"
#include "lockstep/train_callback.h"
#include "train/best_metric.h"

namespace lockstep::train {

// How far a run has come.
struct Progress {
  std::int64_t step = 0;     // optimizer steps, including skipped ones
  std::int64_t skipped = 0;  // because of non-finite values
  std::int64_t skipped_in_row = 0;
  std::uint64_t samples = 0;                 // of all ranks
  double epoch = 0;                          // 2.5: in the middle of the third
  std::vector<MetricValue> evaluation = {};  // the last one
  std::int64_t evaluated_at = -1;            // step
  bool owes_evaluation = false;              // an epoch has finished and is not evaluated yet
  std::string stopped = {};                  // why the run stopped early; empty if it did not
  StepSums unwritten = {};                   // since the last row of metrics
};

struct RunState {
  Progress progress = {};
  SamplerState sampler = {};
  GradScalerState scaler = {};
  PlateauState plateau = {};
  BestMetricState best = {};
};

// docs/checkpoint_format.md documents every member.
std::string to_json(const RunState& state);

// Throws Error{kCorrupt} with `file` and the member that is missing or wrong.
RunState parse_run_state(std::string_view file, std::string_view json);

}  // namespace lockstep::train
