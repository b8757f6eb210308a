#include "cli/bench/step/report_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/bench/report_head.h"

namespace lockstep::bench::step {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json formula_json() {
  Json json = {
      {"sample", kSampleFormula},
      {"median_ms", "of all samples"},
      {"p10_ms", "the smallest time that 10 % of the samples do not exceed"},
      {"p90_ms", "the smallest time that 90 % of the samples do not exceed"},
      {"peak_rss_mb", kPeakRssFormula},
      {"total_memory_mb", kTotalMemoryFormula},
      {"ping_pong", "round trips of a flag between the cores of ranks 0 and 1, before and after each turn"}};
  for (const Ratio& ratio : kRatios) {
    json[std::string(ratio.key)] = formula(ratio);
  }
  return json;
}

Json result_json(const Result& result) {
  return {{"model", to_string(result.training.model)},
          {"batch", result.training.batch},
          {"variant", to_string(result.variant)},
          {"ranks", rank_count(result.variant)},
          {"median_ms", result.step.median_ms},
          {"p10_ms", result.step.p10_ms},
          {"p90_ms", result.step.p90_ms},
          {"peak_rss_mb", result.step.peak_rss_mb},
          {"total_memory_mb", result.step.total_memory_mb},
          {"samples", result.step.samples}};
}

Json ratios_json(const Report& report) {
  Json ratios = Json::array();
  for (const TrainingCase& training : report.cases()) {
    Json entry = {{"model", to_string(training.model)}, {"batch", training.batch}};
    for (const Ratio& ratio : kRatios) {
      entry[std::string(ratio.key)] = number_or_null(report.ratio(training, ratio));
    }
    ratios.push_back(entry);
  }
  return ratios;
}

Json bars_json(const Report& report) {
  Json bars = Json::array();
  for (const Ratio& ratio : kRatios) {
    const auto value = report.geometric_mean(ratio);
    bars.push_back({{"ratio", ratio.key},
                    {ratio.at_least ? "at_least" : "at_most", ratio.limit},
                    {"geometric_mean", number_or_null(value)},
                    {"reached", value ? Json(reaches(ratio, *value)) : Json(nullptr)}});
  }
  return bars;
}

}  // namespace

std::string to_json_text(const Report& report) {
  Json json = report_head(report.machine, report.versions, formula_json());
  json["rounds"] = report.rounds;
  json["results"] = Json::array();
  for (const Result& result : report.results) {
    json["results"].push_back(result_json(result));
  }
  json["ratios"] = ratios_json(report);
  json["bars"] = bars_json(report);
  json["ping_pong"] = report.ping_pong ? ping_pong_json(*report.ping_pong) : Json(nullptr);
  json["left_out"] = report.left_out;
  return json.dump(2);
}

}  // namespace lockstep::bench::step
