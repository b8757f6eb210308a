#include "cli/bench/scaling/report_json.h"

#include <nlohmann/json.hpp>

#include "lockstep/version.h"

namespace lockstep::bench::scaling {
namespace {

using Json = nlohmann::ordered_json;

Json formula_json() {
  return {{"sample", "the time of the slowest rank in one step"},
          {"compute_ms", "median; forward and backward of ranks that do not communicate, without update"},
          {"no_comm_ms", "median; the same with the update of torch::optim on every rank"},
          {"step_ms", "median; of the method"},
          {"outside_ms", "step_ms - compute_ms"},
          {"outside_share", "outside_ms / step_ms"},
          {"communication_share", "1 - no_comm_ms / step_ms"},
          {"peak_rss_mb", "VmHWM of the largest rank, in 10^6 bytes"},
          {"total_memory_mb",
           "over the ranks, Pss_Anon + Pss_Shmem + VmHWM - VmRSS, and the largest RssFile, in 10^6 bytes"},
          {"exponent", "slope of the line through the logarithms of outside_ms over those of parameters"},
          {"bytes_per_parameter", "slope of the line through total_memory_mb over parameters"},
          {"change", "of the line through all windows, over the run, as a share of its mean"},
          {"_error", "one standard error"}};
}

Json result_json(const Result& result) {
  return {{"ranks", result.point.ranks},
          {"parameters", result.point.parameters},
          {"compute_ms", result.compute_ms},
          {"no_comm_ms", result.no_comm_ms},
          {"step_ms", result.step_ms},
          {"step_p10_ms", result.step_p10_ms},
          {"step_p90_ms", result.step_p90_ms},
          {"outside_ms", result.outside_ms()},
          {"outside_share", result.outside_share()},
          {"communication_share", result.communication_share()},
          {"peak_rss_mb", result.peak_rss_mb},
          {"total_memory_mb", result.total_memory_mb}};
}

Json growth_json(const Growth& growth) {
  Json json = {{"ranks", growth.ranks},          {"exponent", nullptr},
               {"exponent_error", nullptr},      {"linear", nullptr},
               {"bytes_per_parameter", nullptr}, {"bytes_per_parameter_error", nullptr}};
  if (growth.time) {
    json["exponent"] = growth.time->slope;
    json["exponent_error"] = growth.time->slope_error;
    json["linear"] = growth.time->slope <= kLargestExponent;
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
  Json machine = machine_json(report.machine);
  machine["versions"] = {report.version};
  Json json = {{"format", 1},
               {"lockstep", version()},
               {"machine", machine},
               {"formula", formula_json()},
               {"method", report.method},
               {"batch", report.batch},
               {"rounds", report.rounds},
               {"results", Json::array()},
               {"growth", Json::array()},
               {"long_run", endurance_json(report)},
               {"left_out", report.left_out}};
  for (const Result& result : report.results) {
    json["results"].push_back(result_json(result));
  }
  for (const Growth& growth : report.growth) {
    json["growth"].push_back(growth_json(growth));
  }
  return json.dump(2);
}

}  // namespace lockstep::bench::scaling
