#pragma once

// Which charts a run deserves: one for each name that its rows have, with a curve for each phase.

#include <vector>

#include "lockstep/metric_row.h"
#include "observe/line_chart.h"

namespace lockstep {

struct MetricCharts {
  std::vector<LineChart> outcome;    // how well it learns; the loss first
  std::vector<LineChart> machinery;  // how it gets there: learning rate, throughput and the like
};

// Curves of any length have at most this many points.
inline constexpr std::size_t kMostCurvePoints = 2000;

MetricCharts metric_charts(const std::vector<MetricRow>& rows);

}  // namespace lockstep
