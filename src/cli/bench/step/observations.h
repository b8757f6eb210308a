#pragma once

// The raw data of a campaign of training steps: every single time, by what was measured.

#include <optional>
#include <string>
#include <vector>

#include "bench_worker/training_case.h"
#include "cli/bench/measurements.h"
#include "cli/bench/ping_pong.h"
#include "cli/bench/step/variant.h"

namespace lockstep::bench::step {

struct Series {
  TrainingCase training;
  Variant variant = Variant::kNoComm;
  Measurements seen = {};
};

struct Observations {
  std::vector<Series> series;         // in the order of the plan
  std::vector<std::string> versions;  // of the participants, each once
  std::optional<PingPong> ping_pong;  // around all turns; nothing on a single core
};

}  // namespace lockstep::bench::step
