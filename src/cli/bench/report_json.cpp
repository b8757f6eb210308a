#include "cli/bench/report_json.h"

#include <nlohmann/json.hpp>

#include "cli/bench/report_head.h"

namespace lockstep::bench {
namespace {

using Json = nlohmann::ordered_json;

Json versions_json(const Report& report) {
  Json json = Json::object();
  for (const auto& [implementation, version] : report.versions) {
    json[std::string(to_string(implementation))] = version;
  }
  return json;
}

// p: ranks, N: bytes.
Json formula_json() {
  return {{"sample", "the time of the slowest rank in one iteration"},
          {"median_us", "of all samples"},
          {"p95_us", "the smallest time that 95 % of the samples do not exceed"},
          {"busbw_gbs", "2 (p - 1) / p x N / median_us / 1000"},
          {"bound_us",
           "median over all iterations of the reduce kernel's time on private memory (reads N and writes N "
           "bytes per rank, all ranks at once; the busiest core's) + 2 x ping_pong / 2"},
          {"share", "bound_us / median_us of lockstep"},
          {"times_lockstep", "median_us / median_us of lockstep"}};
}

Json result_json(const Result& result) {
  Json by_proximity = Json::object();
  for (const auto& [proximity, summary] : result.by_proximity) {
    by_proximity[std::string(to_string(proximity))] = {{"median_us", summary.median_us},
                                                       {"samples", summary.samples}};
  }
  return {{"impl", to_string(result.implementation)},
          {"ranks", result.point.ranks},
          {"bytes", result.point.bytes},
          {"median_us", result.median_us},
          {"p95_us", result.p95_us},
          {"busbw_gbs", result.busbw_gbs},
          {"samples", result.samples},
          {"by_proximity", by_proximity}};
}

Json bound_json(const Bound& bound) {
  return {{"ranks", bound.point.ranks},
          {"bytes", bound.point.bytes},
          {"bound_us", bound.bound_us},
          {"busbw_gbs", bound.busbw_gbs},
          {"share", bound.share ? Json(*bound.share) : Json(nullptr)}};
}

Json ratios_json(const Report& report) {
  Json ratios = Json::array();
  for (const Result& result : report.results) {
    const auto ratio = report.times_as_long(result.point, result.implementation);
    if (ratio && result.implementation != Implementation::kLockstep) {
      ratios.push_back({{"impl", to_string(result.implementation)},
                        {"ranks", result.point.ranks},
                        {"bytes", result.point.bytes},
                        {"times_lockstep", *ratio}});
    }
  }
  return ratios;
}

}  // namespace

std::string to_json_text(const Report& report) {
  Json json = report_head(report.machine, versions_json(report), formula_json());
  json["results"] = Json::array();
  for (const Result& result : report.results) {
    json["results"].push_back(result_json(result));
  }
  json["bound"] = Json::array();
  for (const Bound& bound : report.bounds) {
    json["bound"].push_back(bound_json(bound));
  }
  json["ratios"] = ratios_json(report);
  json["ping_pong"] = ping_pong_json(report.ping_pong);
  json["left_out"] = report.left_out;
  return json.dump(2);
}

}  // namespace lockstep::bench
