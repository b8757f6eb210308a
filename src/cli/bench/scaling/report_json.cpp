#include "cli/bench/scaling/report_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/bench/report_head.h"

namespace lockstep::bench::scaling {
namespace {

using Json = nlohmann::ordered_json;

std::string fitted_formula() {
  return fmt::format(
      "sizes with a working_set_mb of at least {} x last_level_cache_mb and an outside_ms above 0; none when "
      "fewer "
      "than {} are so",
      kCacheFactor, kFewestSizes);
}

Json megabytes_json(const std::optional<std::uint64_t>& bytes) {
  return bytes ? Json(static_cast<double>(*bytes) / 1e6) : Json(nullptr);
}

Json formula_json() {
  return {
      {"sample", kSampleFormula},
      {"compute_ms", "median; forward and backward of ranks that do not communicate, without update"},
      {"no_comm_ms", "median; the same with the update of torch::optim on every rank"},
      {"step_ms", "median; of the method"},
      {"outside_ms", "step_ms - compute_ms"},
      {"outside_share", "outside_ms / step_ms"},
      {"communication_share", "1 - no_comm_ms / step_ms"},
      {"peak_rss_mb", kPeakRssFormula},
      {"total_memory_mb", kTotalMemoryFormula},
      {"working_set_mb", "parameters, gradients and momentum of all ranks, in 10^6 bytes"},
      {"last_level_cache_mb", "all last-level caches of the machine, in 10^6 bytes"},
      {"exponent",
       "slope of the line through the logarithms of outside_ms over those of the fitted parameters"},
      {"fitted", fitted_formula()},
      {"linear", fmt::format("exponent is at most {}; null where last_level_cache_mb is", kLargestExponent)},
      {"bytes_per_parameter", "slope of the line through total_memory_mb over parameters"},
      {"change", "of the line through all windows, over the run, as a share of its mean"},
      {"_error", "one standard error"}};
}

Json result_json(const Result& result) {
  return {{"ranks", result.point.ranks},
          {"parameters", result.point.parameters},
          {"compute_ms", result.compute_ms},
          {"no_comm_ms", result.no_comm_ms},
          {"step_ms", result.step.median_ms},
          {"step_p10_ms", result.step.p10_ms},
          {"step_p90_ms", result.step.p90_ms},
          {"outside_ms", result.outside_ms()},
          {"outside_share", result.outside_share()},
          {"communication_share", result.communication_share()},
          {"peak_rss_mb", result.step.peak_rss_mb},
          {"total_memory_mb", result.step.total_memory_mb},
          {"working_set_mb", megabytes_json(result.working_set_bytes)}};
}

Json growth_json(const Growth& growth) {
  Json json = {
      {"ranks", growth.ranks},          {"exponent", nullptr},
      {"exponent_error", nullptr},      {"linear", growth.linear ? Json(*growth.linear) : Json(nullptr)},
      {"fitted", growth.fitted},        {"not_fitted", Json::array()},
      {"bytes_per_parameter", nullptr}, {"bytes_per_parameter_error", nullptr}};
  if (growth.time) {
    json["exponent"] = growth.time->slope;
    json["exponent_error"] = growth.time->slope_error;
  }
  for (const UnfittedSize& size : growth.unfitted) {
    json["not_fitted"].push_back({{"parameters", size.parameters}, {"reason", to_string(size.reason)}});
  }
  if (growth.memory) {
    json["bytes_per_parameter"] = growth.memory->slope;
    json["bytes_per_parameter_error"] = growth.memory->slope_error;
  }
  return json;
}

Json drift_json(const Drift& drift, double limit) {
  return {{"first_quarter", drift.first_quarter},
          {"last_quarter", drift.last_quarter},
          {"ratio", drift.ratio()},
          {"at_most", limit},
          {"flat", drift.ratio() <= limit},
          {"change", drift.change},
          {"change_error", drift.change_error}};
}

Json endurance_json(const Report& report) {
  if (!report.endurance) {
    return nullptr;
  }
  const Endurance& run = *report.endurance;
  Json windows = Json::array();
  for (const Window& window : report.windows) {
    windows.push_back({{"last_step", window.last_step},
                       {"median_ms", window.median_ms},
                       {"memory_mb", static_cast<double>(window.memory_bytes) / 1e6}});
  }
  return {{"ranks", run.point.ranks},
          {"parameters", run.point.parameters},
          {"steps", run.steps},
          {"time_ms", drift_json(run.time_ms, kFlatTime)},
          {"memory_mb", drift_json(run.memory_mb, kFlatMemory)},
          {"windows", windows}};
}

}  // namespace

std::string to_json_text(const Report& report) {
  Json json = report_head(report.machine, {report.version}, formula_json());
  json["method"] = report.method;
  json["batch"] = report.batch;
  json["rounds"] = report.rounds;
  json["last_level_cache_mb"] = megabytes_json(report.cache_bytes);
  json["results"] = Json::array();
  for (const Result& result : report.results) {
    json["results"].push_back(result_json(result));
  }
  json["growth"] = Json::array();
  for (const Growth& growth : report.growth) {
    json["growth"].push_back(growth_json(growth));
  }
  json["long_run"] = endurance_json(report);
  json["left_out"] = report.left_out;
  return json.dump(2);
}

}  // namespace lockstep::bench::scaling
