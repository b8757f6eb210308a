#include "cli/bench/scaling/report_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/bench/scaling/example_report.h"
#include "lockstep/version.h"

namespace lockstep::bench::scaling {
namespace {

using Json = nlohmann::json;

TEST(ScalingReportJson, SaysItsFormatAndWhatWasMeasured) {
  const Json json = Json::parse(to_json_text(example_report()));
  EXPECT_EQ(json.at("format"), 1);
  EXPECT_EQ(json.at("lockstep"), version());
  EXPECT_EQ(json.at("method"), "sharded");
  EXPECT_EQ(json.at("batch"), 8);
  EXPECT_EQ(json.at("rounds"), 5);
  EXPECT_EQ(json.at("machine").at("cores"), 2);
  EXPECT_EQ(json.at("machine").at("versions"), Json::parse(R"(["lockstep 1.2.3 on libtorch 2.3.4"])"));
}

TEST(ScalingReportJson, HasAnEntryForEachPoint) {
  const Json results = Json::parse(to_json_text(example_report())).at("results");
  ASSERT_EQ(results.size(), 4);
  EXPECT_EQ(results.at(0), Json::parse(R"({
    "ranks": 1, "parameters": 1000000, "compute_ms": 3.0, "no_comm_ms": 5.0, "step_ms": 4.0, "step_p10_ms": 2.0,
    "step_p90_ms": 8.0, "outside_ms": 1.0, "outside_share": 0.25, "communication_share": -0.25, "peak_rss_mb": 112.0,
    "total_memory_mb": 112.0})"));
}

TEST(ScalingReportJson, HasTheGrowthOnEachNumberOfRanks) {
  const Json growth = Json::parse(to_json_text(example_report())).at("growth");
  ASSERT_EQ(growth.size(), 2);
  EXPECT_EQ(growth.at(1).at("ranks"), 4);
  EXPECT_NEAR(growth.at(1).at("exponent"), 0.5, 1e-12);
  EXPECT_EQ(growth.at(1).at("linear"), true);
  EXPECT_NEAR(growth.at(1).at("bytes_per_parameter"), 48, 1e-9);
}

TEST(ScalingReportJson, HasTheLongRun) {
  const Json run = Json::parse(to_json_text(example_report())).at("long_run");
  EXPECT_EQ(run.at("steps"), 80);
  EXPECT_EQ(run.at("time_ms"), Json::parse(R"({
    "first_quarter": 2.0, "last_quarter": 2.0, "ratio": 1.0, "at_most": 1.05, "flat": true, "change": 0.0,
    "change_error": 0.0})"));
  EXPECT_EQ(run.at("memory_mb").at("flat"), true);
  ASSERT_EQ(run.at("windows").size(), 8);
  EXPECT_EQ(run.at("windows").at(0),
            Json::parse(R"({"last_step": 10, "median_ms": 2.0, "memory_mb": 50.0})"));
}

TEST(ScalingReportJson, HasNothingForWhatWasNotMeasured) {
  Observations seen = example_observations();
  seen.series.resize(3);
  seen.long_run.windows.clear();
  const Json json = Json::parse(to_json_text(summarize(seen)));
  EXPECT_TRUE(json.at("long_run").is_null());
  EXPECT_TRUE(json.at("growth").at(0).at("exponent").is_null());
  EXPECT_TRUE(json.at("growth").at(0).at("bytes_per_parameter").is_null());
}

}  // namespace
}  // namespace lockstep::bench::scaling
