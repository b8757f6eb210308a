#include "cli/bench/scaling/report.h"

#include <algorithm>

#include "cli/bench/line_fit.h"
#include "cli/bench/scaling/working_set.h"
#include "cli/bench/statistics.h"

namespace lockstep::bench::scaling {
namespace {

constexpr std::size_t kQuarters = 4;

void add_series(Result& result, const Series& series) {
  switch (series.method) {
    case Method::kCompute:
      result.compute_ms = median(series.seen.times_ms);
      return;
    case Method::kAlone:
      result.no_comm_ms = median(series.seen.times_ms);
      return;
    default:
      result.step = bench::summarize(series.seen);
      result.working_set_bytes = working_set_bytes(series.point, series.method);
  }
}

std::vector<Result> summarize_points(const std::vector<Series>& all) {
  std::vector<Result> results;
  for (const Series& series : all) {
    if (results.empty() || !(results.back().point == series.point)) {
      results.push_back({.point = series.point});
    }
    add_series(results.back(), series);
  }
  return results;
}

Drift drift_of(const std::vector<double>& steps, const std::vector<double>& values) {
  const auto quarter = static_cast<std::ptrdiff_t>(values.size() / kQuarters);
  const LineFit line = fit_line(steps, values);
  const double length = steps.back() - steps.front();
  const double mean = line.at_zero + line.slope * (steps.front() + length / 2);
  return {.first_quarter = median({values.begin(), values.begin() + quarter}),
          .last_quarter = median({values.end() - quarter, values.end()}),
          .change = line.slope * length / mean,
          .change_error = line.slope_error * length / mean};
}

std::optional<Endurance> summarize_long_run(const LongRun& run) {
  if (run.windows.size() < kQuarters) {
    return std::nullopt;
  }
  std::vector<double> steps;
  std::vector<double> times;
  std::vector<double> memory;
  for (const Window& window : run.windows) {
    steps.push_back(static_cast<double>(window.last_step));
    times.push_back(window.median_ms);
    memory.push_back(static_cast<double>(window.memory_bytes) / 1e6);
  }
  return Endurance{.point = run.point,
                   .steps = run.windows.back().last_step,
                   .time_ms = drift_of(steps, times),
                   .memory_mb = drift_of(steps, memory)};
}

}  // namespace

Report summarize(const Observations& observations) {
  Report report;
  report.version = observations.version;
  report.cache_bytes = observations.cache_bytes;
  report.results = summarize_points(observations.series);
  for (const int ranks : report.rank_counts()) {
    report.growth.push_back(growth_on(ranks, report.results, report.cache_bytes));
  }
  report.endurance = summarize_long_run(observations.long_run);
  report.windows = observations.long_run.windows;
  return report;
}

std::vector<int> Report::rank_counts() const {
  std::vector<int> counts;
  for (const Result& result : results) {
    if (std::find(counts.begin(), counts.end(), result.point.ranks) == counts.end()) {
      counts.push_back(result.point.ranks);
    }
  }
  return counts;
}

}  // namespace lockstep::bench::scaling
