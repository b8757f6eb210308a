#pragma once

// The result of `lockstep bench scaling`: a summary of the observations, and whether the cost of data-parallel training
// grows as it should. The table, the JSON and the plot are three views of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/host.h"
#include "cli/bench/left_out.h"
#include "cli/bench/scaling/growth.h"
#include "cli/bench/scaling/observations.h"
#include "cli/bench/scaling/result.h"

namespace lockstep::bench::scaling {

// How a quantity changed during the long run.
struct Drift {
  double first_quarter = 0;  // median over the windows
  double last_quarter = 0;
  double change = 0;        // of the line through all windows, over the whole run, relative to its mean
  double change_error = 0;  // its standard error

  double ratio() const { return last_quarter / first_quarter; }
};

// The largest ratios of the last quarter to the first that count as flat.
inline constexpr double kFlatTime = 1.05;
inline constexpr double kFlatMemory = 1.01;

struct Endurance {
  Point point;
  std::int64_t steps = 0;
  Drift time_ms;
  Drift memory_mb;
};

struct Report {
  Machine machine;
  std::string version;
  std::string method;
  int batch = 0;
  int rounds = 0;
  LeftOut left_out;                          // points that do not fit
  std::optional<std::uint64_t> cache_bytes;  // of all last-level caches; if the machine reports it
  std::vector<Result> results;
  std::vector<Growth> growth;          // for each number of ranks
  std::optional<Endurance> endurance;  // if there was a long run of at least four windows
  std::vector<Window> windows;

  std::vector<int> rank_counts() const;  // in the order they were measured
};

// Computes everything that follows from the observations.
Report summarize(const Observations& observations);

}  // namespace lockstep::bench::scaling
