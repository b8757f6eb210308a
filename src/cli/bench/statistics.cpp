#include "cli/bench/statistics.h"

#include <algorithm>
#include <cmath>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

void require_some(const std::vector<double>& values) {
  if (values.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "there is no value to summarize");
  }
}

void sort_some(std::vector<double>& values) {
  require_some(values);
  std::sort(values.begin(), values.end());
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  sort_some(values);
  const auto needed = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(needed, 1, values.size()) - 1];
}

double median(std::vector<double> values) {
  sort_some(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double geometric_mean(const std::vector<double>& values) {
  require_some(values);
  double sum = 0;
  for (const double value : values) {
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

double bus_bandwidth_gbs(std::size_t bytes, int ranks, double time_us) {
  const double sent = 2.0 * (ranks - 1) / ranks * static_cast<double>(bytes);
  return sent / time_us / 1e3;
}

}  // namespace lockstep::bench
