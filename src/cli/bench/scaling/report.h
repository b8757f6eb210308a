#pragma once

// The result of `lockstep bench scaling`: what the observations come to, and whether the cost of training together
// grows as it should. The table, the JSON and the plot are three views of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/host.h"
#include "cli/bench/left_out.h"
#include "cli/bench/line_fit.h"
#include "cli/bench/scaling/observations.h"
#include "cli/bench/training_summary.h"

namespace lockstep::bench::scaling {

// All times are medians. What a step takes beyond bare computation is averaging, the update and handing out the new
// parameters.
struct Result {
  Point point;
  double compute_ms = 0;      // forward and backward of ranks that do not communicate, without update
  double no_comm_ms = 0;      // with the update of torch::optim on every rank
  TrainingSummary step = {};  // of the method that is measured

  double outside_ms() const { return step.median_ms - compute_ms; }
  double outside_share() const { return outside_ms() / step.median_ms; }
  // What communication alone costs against ranks that all make the whole update: less than nothing where sharing the
  // update saves more.
  double communication_share() const { return 1 - no_comm_ms / step.median_ms; }
};

// How the cost grows with the number of parameters, on one number of ranks.
struct Growth {
  int ranks = 1;
  std::optional<LineFit> time;  // a power: of the time outside compute; nothing when too few points have any
  std::optional<LineFit> memory;  // a line: of the bytes of all ranks at their peak
};

// The exponent that counts as linear. A step that leaves the caches gets slower per parameter without doing more.
inline constexpr double kLargestExponent = 1.1;

// What became of a quantity in the course of the long run.
struct Drift {
  double first_quarter = 0;  // median over the windows
  double last_quarter = 0;
  double change = 0;        // of the line through all windows, over the whole run, as a share of its mean
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
  LeftOut left_out;  // points that do not fit
  std::vector<Result> results;
  std::vector<Growth> growth;          // for each number of ranks
  std::optional<Endurance> endurance;  // when there was a long run of at least four windows
  std::vector<Window> windows;

  std::vector<int> rank_counts() const;  // in the order in which they were measured
};

// Fills in all that follows from the observations.
Report summarize(const Observations& observations);

}  // namespace lockstep::bench::scaling
