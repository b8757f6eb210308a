#include "cli/run/report_json.h"

#include <nlohmann/json.hpp>

#include "base/exit_status.h"

namespace lockstep::run {
namespace {

using Json = nlohmann::ordered_json;

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

const char* role_in(const Verdict& verdict, std::size_t index, const WorkerEnding& ending) {
  const auto has = [index](const std::vector<std::size_t>& list) {
    return std::find(list.begin(), list.end(), index) != list.end();
  };
  if (verdict.first == index) {
    return "failed first";
  }
  if (has(verdict.consequences)) {
    return "failed as a consequence";
  }
  if (has(verdict.stopped)) {
    return "stopped";
  }
  return ending.status.ok() ? "finished" : "failed";
}

Json error_json(const ErrorRecord& error) {
  Json json = {{"message", error.message}, {"details", error.details}, {"time", seconds(error.time)}};
  if (!error.code.empty()) {
    json["code"] = error.code;
  }
  if (error.peer) {
    json["peer"] = *error.peer;
  }
  return json;
}

Json worker_json(const Verdict& verdict, std::size_t index, const WorkerEnding& ending) {
  Json json = {{"rank", ending.rank},
               {"local_rank", ending.local_rank},
               {"pid", ending.pid},
               {"result", role_in(verdict, index, ending)},
               {"exit_code", ending.status.shell_code()},
               {"signal", ending.status.signal != 0 ? Json(signal_name(ending.status.signal)) : Json()},
               {"out_of_memory", ending.out_of_memory},
               {"steps", ending.steps},
               {"ended", seconds(ending.time)},
               {"stderr_tail", ending.last_output}};
  json["error"] = ending.error ? error_json(*ending.error) : Json();
  return json;
}

Json attempt_json(const AttemptReport& report) {
  const AttemptOutcome& outcome = report.outcome;
  Json workers = Json::array();
  for (std::size_t i = 0; i < outcome.endings.size(); ++i) {
    workers.push_back(worker_json(report.verdict, i, outcome.endings[i]));
  }
  const auto first = report.verdict.first;
  return {{"attempt", report.attempt},
          {"started", seconds(outcome.start_time)},
          {"seconds", seconds(outcome.duration)},
          {"exit_code", report.verdict.exit_code},
          {"first_failure", first ? Json(outcome.endings[*first].rank) : Json()},
          {"signal", outcome.signal != 0 ? Json(signal_name(outcome.signal)) : Json()},
          {"start_error", outcome.start_error ? Json(outcome.start_error->message()) : Json()},
          {"logs", report.log_folder.empty() ? Json() : Json(report.log_folder.string())},
          {"workers", workers}};
}

}  // namespace

std::string report_json(const Plan& plan, const std::vector<AttemptReport>& attempts, int exit_code) {
  Json list = Json::array();
  for (const AttemptReport& attempt : attempts) {
    list.push_back(attempt_json(attempt));
  }
  const Json json = {{"run_id", plan.run_id},       {"host", plan.host},
                     {"command", plan.command},     {"world_size", plan.world_size},
                     {"node_rank", plan.node_rank}, {"node_count", plan.node_count},
                     {"exit_code", exit_code},      {"attempts", list}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep::run
