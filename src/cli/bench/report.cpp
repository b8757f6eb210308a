#include "cli/bench/report.h"

#include <algorithm>
#include <set>

#include "cli/bench/statistics.h"

namespace lockstep::bench {
namespace {

std::map<Proximity, ProximitySummary> summarize_by_proximity(const std::vector<Sample>& samples) {
  std::map<Proximity, std::vector<double>> times;
  for (const Sample& sample : samples) {
    times[sample.proximity].push_back(sample.time_us);
  }
  std::map<Proximity, ProximitySummary> summaries;
  for (const auto& [proximity, some] : times) {
    summaries[proximity] = {.median_us = median(some), .samples = some.size()};
  }
  return summaries;
}

Result summarize_samples(Implementation implementation, const Point& point,
                         const std::vector<Sample>& samples) {
  std::vector<double> times;
  times.reserve(samples.size());
  for (const Sample& sample : samples) {
    times.push_back(sample.time_us);
  }
  const double middle = median(times);
  return {.implementation = implementation,
          .point = point,
          .median_us = middle,
          .p95_us = quantile(times, kNinetyFive),
          .busbw_gbs = bus_bandwidth_gbs(point.bytes, point.ranks, middle),
          .samples = samples.size(),
          .by_proximity = summarize_by_proximity(samples)};
}

// Each of the two synchronisations of an all-reduce takes half a round trip of a flag.
Bound make_bound(const Point& point, const std::vector<double>& kernel_us, double ping_pong_ns) {
  const double bound_us = median(kernel_us) + 2 * (ping_pong_ns / 2) / 1e3;
  return {.point = point,
          .bound_us = bound_us,
          .busbw_gbs = bus_bandwidth_gbs(point.bytes, point.ranks, bound_us),
          .share = {}};
}

std::vector<double> all_round_trips(const Observations& observations) {
  std::vector<double> all;
  for (const auto& [ranks, some] : observations.ping_pong_ns) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

Report summarize(const Observations& observations) {
  Report report;
  report.versions = observations.versions;
  for (const auto& [key, samples] : observations.samples) {
    report.results.push_back(summarize_samples(key.second, key.first, samples));
  }
  for (const auto& [point, kernel_us] : observations.kernel_us) {
    Bound bound = make_bound(point, kernel_us, median(observations.ping_pong_ns.at(point.ranks)));
    if (const Result* own = report.find(point, Implementation::kLockstep)) {
      bound.share = bound.bound_us / own->median_us;
    }
    report.bounds.push_back(bound);
  }
  report.ping_pong = summarize_ping_pong(all_round_trips(observations), observations.blocks);
  return report;
}

const Result* Report::find(const Point& point, Implementation implementation) const {
  const auto found = std::find_if(results.begin(), results.end(), [&](const Result& result) {
    return result.point == point && result.implementation == implementation;
  });
  return found != results.end() ? &*found : nullptr;
}

const Bound* Report::find_bound(const Point& point) const {
  const auto found =
      std::find_if(bounds.begin(), bounds.end(), [&](const Bound& bound) { return bound.point == point; });
  return found != bounds.end() ? &*found : nullptr;
}

std::optional<double> Report::times_as_long(const Point& point, Implementation other) const {
  const Result* own = find(point, Implementation::kLockstep);
  const Result* others = find(point, other);
  if (own == nullptr || others == nullptr) {
    return std::nullopt;
  }
  return others->median_us / own->median_us;
}

std::vector<int> Report::rank_counts() const {
  std::set<int> counts;
  for (const Result& result : results) {
    counts.insert(result.point.ranks);
  }
  return {counts.begin(), counts.end()};
}

std::vector<Point> Report::points(int ranks) const {
  std::set<Point> found;
  for (const Result& result : results) {
    if (result.point.ranks == ranks) {
      found.insert(result.point);
    }
  }
  return {found.begin(), found.end()};
}

std::vector<Implementation> Report::contenders() const {
  std::set<Implementation> found;
  for (const Result& result : results) {
    found.insert(result.implementation);
  }
  return {found.begin(), found.end()};
}

}  // namespace lockstep::bench
