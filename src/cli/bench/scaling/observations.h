#pragma once

// The raw data of a scaling campaign.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench_worker/training_method.h"
#include "cli/bench/measurements.h"

namespace lockstep::bench::scaling {

struct Point {
  int ranks = 1;
  std::int64_t parameters = 0;

  friend bool operator==(const Point&, const Point&) = default;
};

// One method of training at one point.
struct Series {
  Point point;
  Method method = Method::kCompute;
  Measurements seen = {};
};

// Consecutive steps of the long run.
struct Window {
  std::int64_t last_step = 0;    // of the run, counted from 1
  double median_ms = 0;          // of a step
  std::size_t memory_bytes = 0;  // of all ranks after it, shared memory counted once
};

struct LongRun {
  Point point;
  std::vector<Window> windows = {};  // empty if it was not requested
};

struct Observations {
  std::vector<Series> series;  // by point, in the order of the plan
  LongRun long_run;
  std::string version;
  std::optional<std::uint64_t> cache_bytes;  // of all last-level caches; if the machine reports it
};

}  // namespace lockstep::bench::scaling
