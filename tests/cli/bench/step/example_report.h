#pragma once

// A small benchmark of training steps that never ran.

#include "cli/bench/step/report.h"

namespace lockstep::bench::step {

inline constexpr TrainingCase kMlpCase{.model = Model::kMlp, .batch = 32};
inline constexpr TrainingCase kGptCase{.model = Model::kGpt, .batch = 2};

// Both cases with all variants. The medians of mlp:32 are 40 ms without communication, 44 ms with ddp, 44 ms sharded, 42 ms
// with shared parameters, 30 ms with one rank either way, with PyTorch 66 and 60.5 ms on two ranks and 50 and 46.2 ms in one process; those of
// gpt:2 are 100, 110, 105, 112, 90, 90, 165, 176, 115.5 and 120 ms. The n-th variant needs n times 100 MB on its largest rank
// and n times 150 MB in all.
Observations example_observations();

Report example_report();

}  // namespace lockstep::bench::step
