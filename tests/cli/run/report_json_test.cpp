#include "cli/run/report_json.h"

#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/run/example_outcome.h"

namespace lockstep::run {
namespace {

using Json = nlohmann::json;

TEST(ReportJson, TellsTheWholeStory) {
  AttemptReport second = example_report();
  second.attempt = 1;
  second.log_folder = "/logs/night/attempt_1";
  const Json json = Json::parse(report_json(example_plan(), {example_report(), second}, 134));
  EXPECT_EQ(json["run_id"], "night");
  EXPECT_EQ(json["host"], "node1");
  EXPECT_EQ(json["command"], Json({"./train", "--lr", "0.1"}));
  EXPECT_EQ(json["world_size"], 4);
  EXPECT_EQ(json["node_rank"], 0);
  EXPECT_EQ(json["node_count"], 1);
  EXPECT_EQ(json["exit_code"], 134);
  ASSERT_EQ(json["attempts"].size(), 2U);
  const Json& attempt = json["attempts"][1];
  EXPECT_EQ(attempt["attempt"], 1);
  EXPECT_EQ(attempt["started"], 1000.0);
  EXPECT_EQ(attempt["seconds"], 40.0);
  EXPECT_EQ(attempt["exit_code"], 134);
  EXPECT_EQ(attempt["first_failure"], 2);
  EXPECT_EQ(attempt["signal"], nullptr);
  EXPECT_EQ(attempt["start_error"], nullptr);
  EXPECT_EQ(attempt["logs"], "/logs/night/attempt_1");
  EXPECT_EQ(json["attempts"][0]["logs"], nullptr);
}

TEST(ReportJson, HasEveryWorker) {
  const Json json = Json::parse(report_json(example_plan(), {example_report()}, 134));
  const Json& workers = json["attempts"][0]["workers"];
  ASSERT_EQ(workers.size(), 4U);
  EXPECT_EQ(workers[0]["result"], "failed as a consequence");
  EXPECT_EQ(workers[1]["result"], "stopped");
  EXPECT_EQ(workers[3]["result"], "stopped");
  EXPECT_EQ(workers[0]["error"]["code"], "peer lost");
  EXPECT_EQ(workers[0]["error"]["peer"], 2);
  EXPECT_EQ(workers[1]["error"], nullptr);
  EXPECT_EQ(workers[2], Json::parse(R"({
    "rank": 2, "local_rank": 2, "pid": 102, "result": "failed first", "exit_code": 134, "signal": "SIGABRT",
    "out_of_memory": false, "steps": 7, "ended": 1002.5, "stderr_tail": "reading part 7\nterminate called\n",
    "error": {"message": "no more data", "details": "no more data\n\nwhere it was thrown:\n#0 main\n",
              "time": 1002.4}})"));
}

TEST(ReportJson, TellsOfWorkersThatFinishedOrFailedLater) {
  AttemptReport report = example_report();
  report.outcome.endings[0].error = {};
  report.outcome.endings[1].status = {};
  report.verdict = judge(report.outcome);
  const Json json = Json::parse(report_json(example_plan(), {report}, 134));
  EXPECT_EQ(json["attempts"][0]["workers"][0]["result"], "failed");
  EXPECT_EQ(json["attempts"][0]["workers"][1]["result"], "finished");
  EXPECT_EQ(json["attempts"][0]["workers"][1]["signal"], nullptr);
}

TEST(ReportJson, TellsWhatEndedAJobFromOutside) {
  AttemptReport report;
  report.outcome.signal = SIGINT;
  EXPECT_EQ(Json::parse(report_json(example_plan(), {report}, 130))["attempts"][0]["signal"], "SIGINT");
  report.outcome.start_error = Error(ErrorCode::kNotFound, "there is no program 'x'");
  EXPECT_EQ(Json::parse(report_json(example_plan(), {report}, 127))["attempts"][0]["start_error"],
            "there is no program 'x'");
}

TEST(ReportJson, IsJsonWhateverWorkersWrite) {
  AttemptReport report = example_report();
  report.outcome.endings[2].last_output = "\xff\xfe\x01\n";
  EXPECT_TRUE(Json::accept(report_json(example_plan(), {report}, 1)));
}

}  // namespace
}  // namespace lockstep::run
