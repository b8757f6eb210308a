#pragma once

// Chooses the charts of a run: one for each name in its rows, with a curve for each phase.

#include <vector>

#include "lockstep/metric_row.h"
#include "observe/line_chart.h"

namespace lockstep {

struct MetricCharts {
  std::vector<LineChart> outcome;    // how well it learns; the loss first
  std::vector<LineChart> machinery;  // how it does so: learning rate, throughput and the like
};

// Longer curves are thinned to this many points.
inline constexpr std::size_t kMostCurvePoints = 2000;

MetricCharts metric_charts(const std::vector<MetricRow>& rows);

}  // namespace lockstep
