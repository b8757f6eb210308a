#pragma once

// A small benchmark of training steps that never ran.

#include "cli/bench/step/report.h"

namespace lockstep::bench::step {

inline constexpr TrainingCase kMlpCase{.model = Model::kMlp, .batch = 32};
inline constexpr TrainingCase kGptCase{.model = Model::kGpt, .batch = 2};

// Both cases with all variants. The medians of mlp:32 are 40 ms without communication, 44 ms with ddp, 30 ms with one
// rank either way, 66 and 60.5 ms with PyTorch; those of gpt:2 are 100, 110, 90, 90, 165 and 176 ms.
Observations example_observations();

Report example_report();

}  // namespace lockstep::bench::step
