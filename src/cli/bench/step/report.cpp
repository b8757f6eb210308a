#include "cli/bench/step/report.h"

#include <algorithm>
#include <set>

#include "cli/bench/statistics.h"

namespace lockstep::bench::step {
namespace {

double value_of(const Result& result, Quantity quantity) {
  return quantity == Quantity::kTime ? result.step.median_ms : result.step.total_memory_mb;
}

}  // namespace

Report summarize(const Observations& observations) {
  Report report;
  report.versions = observations.versions;
  report.ping_pong = observations.ping_pong;
  for (const Series& series : observations.series) {
    report.results.push_back(
        {.training = series.training, .variant = series.variant, .step = bench::summarize(series.seen)});
  }
  return report;
}

const Result* Report::find(const TrainingCase& training, Variant variant) const {
  const auto found = std::find_if(results.begin(), results.end(), [&](const Result& result) {
    return result.training == training && result.variant == variant;
  });
  return found != results.end() ? &*found : nullptr;
}

std::optional<double> Report::ratio(const TrainingCase& training, const Ratio& which) const {
  const auto best = [&](std::span<const Variant> variants) {
    std::optional<double> least;
    for (const Variant variant : variants) {
      if (const Result* result = find(training, variant)) {
        const double value = value_of(*result, which.quantity);
        least = std::min(least.value_or(value), value);
      }
    }
    return least;
  };
  const std::optional<double> upper = best(which.upper);
  const std::optional<double> lower = best(which.lower);
  return upper && lower ? std::optional(*upper / *lower) : std::nullopt;
}

std::optional<double> Report::geometric_mean(const Ratio& which) const {
  std::vector<double> ratios;
  for (const TrainingCase& training : cases()) {
    if (const auto one = ratio(training, which)) {
      ratios.push_back(*one);
    }
  }
  return ratios.empty() ? std::nullopt : std::optional(bench::geometric_mean(ratios));
}

std::vector<TrainingCase> Report::cases() const {
  std::vector<TrainingCase> found;
  for (const Result& result : results) {
    if (std::find(found.begin(), found.end(), result.training) == found.end()) {
      found.push_back(result.training);
    }
  }
  return found;
}

std::vector<Variant> Report::variants() const {
  std::set<Variant> found;
  for (const Result& result : results) {
    found.insert(result.variant);
  }
  return {found.begin(), found.end()};
}

}  // namespace lockstep::bench::step
