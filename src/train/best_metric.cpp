#include "train/best_metric.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>

#include "lockstep/error.h"

namespace lockstep::train {

double BestMetric::value_in(const std::vector<MetricValue>& metrics) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [this](const MetricValue& metric) {
    return metric.name == options_.metric;
  });
  if (found != metrics.end()) {
    return found->value;
  }
  std::string known;
  for (const MetricValue& metric : metrics) {
    known += (known.empty() ? "" : ", ") + metric.name;
  }
  throw Error(ErrorCode::kInvalidConfig, c10::str("--best.metric ", options_.metric,
                                                  ": the evaluation has no such metric, only ", known));
}

bool BestMetric::observe(std::int64_t step, const std::vector<MetricValue>& metrics) {
  const double value = value_in(metrics);
  const bool is_better =
      !std::isnan(value) &&
      (state_.metrics.empty() || (options_.higher_is_better ? value > state_.value : value < state_.value));
  if (!is_better) {
    ++state_.bad;
    return false;
  }
  state_ = {.metrics = metrics, .value = value, .step = step, .bad = 0};
  return true;
}

}  // namespace lockstep::train
