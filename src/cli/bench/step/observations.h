#pragma once

// What a campaign of training steps saw, as plain data: every single time, by what was measured.

#include <cstddef>
#include <string>
#include <vector>

#include "bench_worker/training_case.h"
#include "cli/bench/step/variant.h"

namespace lockstep::bench::step {

struct Series {
  TrainingCase training;
  Variant variant = Variant::kNoComm;
  std::vector<double> times_ms = {};  // of the slowest rank in each step
  std::size_t peak_rss_bytes = 0;     // of the largest rank
};

struct Observations {
  std::vector<Series> series;         // in the order of the plan
  std::vector<std::string> versions;  // of what took part, each once
};

}  // namespace lockstep::bench::step
