#include "cli/bench/step/report.h"

#include <algorithm>
#include <set>

#include "cli/bench/statistics.h"

namespace lockstep::bench::step {
namespace {

constexpr double kTen = 0.1;
constexpr double kNinety = 0.9;

Result summarize_series(const Series& series) {
  return {.training = series.training,
          .variant = series.variant,
          .median_ms = median(series.times_ms),
          .p10_ms = quantile(series.times_ms, kTen),
          .p90_ms = quantile(series.times_ms, kNinety),
          .peak_rss_mb = static_cast<double>(series.peak_rss_bytes) / 1e6,
          .samples = series.times_ms.size()};
}

std::optional<double> over(const Result* a, const Result* b) {
  return a != nullptr && b != nullptr ? std::optional(a->median_ms / b->median_ms) : std::nullopt;
}

const Result* faster(const Result* a, const Result* b) {
  if (a == nullptr || b == nullptr) {
    return a != nullptr ? a : b;
  }
  return a->median_ms <= b->median_ms ? a : b;
}

}  // namespace

std::string_view to_string(Ratio ratio) {
  switch (ratio) {
    case Ratio::kSpeedUp:
      return "speed-up";
    case Ratio::kOverhead:
      return "overhead";
    case Ratio::kOneRank:
      return "one rank";
  }
  return "?";
}

std::string_view formula(Ratio ratio) {
  switch (ratio) {
    case Ratio::kSpeedUp:
      return "the faster of pytorch-ddp and pytorch-ddp-view / ddp";
    case Ratio::kOverhead:
      return "ddp / no-comm";
    case Ratio::kOneRank:
      return "ddp-1rank / plain-1rank";
  }
  return "?";
}

bool reaches(const Bar& bar, double value) {
  return bar.at_least ? value >= bar.limit : value <= bar.limit;
}

Report summarize(const Observations& observations) {
  Report report;
  report.versions = observations.versions;
  for (const Series& series : observations.series) {
    report.results.push_back(summarize_series(series));
  }
  return report;
}

const Result* Report::find(const TrainingCase& training, Variant variant) const {
  const auto found = std::find_if(results.begin(), results.end(), [&](const Result& result) {
    return result.training == training && result.variant == variant;
  });
  return found != results.end() ? &*found : nullptr;
}

std::optional<double> Report::ratio(const TrainingCase& training, Ratio which) const {
  const auto result = [&](Variant variant) { return find(training, variant); };
  switch (which) {
    case Ratio::kSpeedUp:
      return over(faster(result(Variant::kPytorchDdp), result(Variant::kPytorchDdpView)),
                  result(Variant::kDdp));
    case Ratio::kOverhead:
      return over(result(Variant::kDdp), result(Variant::kNoComm));
    case Ratio::kOneRank:
      return over(result(Variant::kDdpOneRank), result(Variant::kPlainOneRank));
  }
  return std::nullopt;
}

std::optional<double> Report::geometric_mean(Ratio which) const {
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
