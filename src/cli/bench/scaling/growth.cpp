#include "cli/bench/scaling/growth.h"

namespace lockstep::bench::scaling {
namespace {

using CacheBytes = std::optional<std::uint64_t>;

std::optional<Unfit> why_unfit(const Result& result, const CacheBytes& cache_bytes) {
  if (in_cache(result, cache_bytes)) {
    return Unfit::kInCache;
  }
  return result.outside_ms() > 0 ? std::nullopt : std::optional(Unfit::kNoTime);
}

// Rounded up; the working set is proportional to the parameters.
std::int64_t least_parameters(const Result& result, std::uint64_t cache_bytes) {
  const std::uint64_t bytes_per_parameter =
      result.working_set_bytes / static_cast<std::uint64_t>(result.point.parameters);
  return static_cast<std::int64_t>((kCacheFactor * cache_bytes + bytes_per_parameter - 1) /
                                   bytes_per_parameter);
}

void fit_time(Growth& growth, const std::vector<Result>& results, const CacheBytes& cache_bytes) {
  std::vector<double> parameters;
  std::vector<double> times;
  for (const Result& result : results) {
    if (const auto reason = why_unfit(result, cache_bytes)) {
      growth.unfitted.push_back({.parameters = result.point.parameters, .reason = *reason});
    } else {
      growth.fitted.push_back(result.point.parameters);
      parameters.push_back(static_cast<double>(result.point.parameters));
      times.push_back(result.outside_ms());
    }
  }
  if (growth.fitted.size() < kFewestSizes) {
    for (const std::int64_t size : growth.fitted) {
      growth.unfitted.push_back({.parameters = size, .reason = Unfit::kTooFew});
    }
    growth.fitted.clear();
    return;
  }
  growth.time = fit_power(parameters, times);
  if (cache_bytes) {
    growth.linear = growth.time->slope <= kLargestExponent;
  }
}

std::optional<LineFit> fit_memory(const std::vector<Result>& results) {
  std::vector<double> parameters;
  std::vector<double> bytes;
  for (const Result& result : results) {
    parameters.push_back(static_cast<double>(result.point.parameters));
    bytes.push_back(result.step.total_memory_mb * 1e6);
  }
  return bytes.size() > 1 ? std::optional(fit_line(parameters, bytes)) : std::nullopt;
}

}  // namespace

std::string_view to_string(Unfit reason) {
  switch (reason) {
    case Unfit::kInCache:
      return "in cache";
    case Unfit::kNoTime:
      return "no time";
    case Unfit::kTooFew:
      return "too few";
  }
  return "?";
}

bool in_cache(const Result& result, const CacheBytes& cache_bytes) {
  return cache_bytes && result.working_set_bytes < kCacheFactor * *cache_bytes;
}

Growth growth_on(int ranks, const std::vector<Result>& results, const CacheBytes& cache_bytes) {
  std::vector<Result> own;
  for (const Result& result : results) {
    if (result.point.ranks == ranks) {
      own.push_back(result);
    }
  }
  Growth growth{.ranks = ranks};
  fit_time(growth, own, cache_bytes);
  growth.memory = fit_memory(own);
  if (cache_bytes && !own.empty()) {
    growth.least_parameters = least_parameters(own.front(), *cache_bytes);
  }
  return growth;
}

}  // namespace lockstep::bench::scaling
