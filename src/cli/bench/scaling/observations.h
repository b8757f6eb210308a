#pragma once

// What a campaign of growing work saw, as plain data.

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

// One way of training at one point.
struct Series {
  Point point;
  Method method = Method::kCompute;
  Measurements seen = {};
};

// Some steps of the long run, one after the other.
struct Window {
  std::int64_t last_step = 0;    // of the run, counted from 1
  double median_ms = 0;          // of a step
  std::size_t memory_bytes = 0;  // of all ranks after it, shared memory counted once
};

struct LongRun {
  Point point;
  std::vector<Window> windows = {};  // empty: it was not asked for
};

struct Observations {
  std::vector<Series> series;  // by point, in the order of the plan
  LongRun long_run;
  std::string version;
  std::optional<std::uint64_t> cache_bytes;  // of all last-level caches; when the machine says it
};

}  // namespace lockstep::bench::scaling
