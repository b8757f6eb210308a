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
  ASSERT_EQ(results.size(), 6);
  EXPECT_EQ(results.at(0), Json::parse(R"({
    "ranks": 1, "parameters": 1000000, "compute_ms": 3.0, "no_comm_ms": 5.0, "step_ms": 4.0, "step_p10_ms": 2.0,
    "step_p90_ms": 8.0, "outside_ms": 1.0, "outside_share": 0.25, "communication_share": -0.25, "peak_rss_mb": 112.0,
    "total_memory_mb": 112.0, "working_set_mb": 12.0})"));
}

TEST(ScalingReportJson, HasTheGrowthOnEachNumberOfRanks) {
  const Json growth = Json::parse(to_json_text(example_report())).at("growth");
  ASSERT_EQ(growth.size(), 2);
  EXPECT_EQ(growth.at(0).at("ranks"), 1);
  EXPECT_NEAR(growth.at(0).at("exponent"), 1, 1e-12);
  EXPECT_NEAR(growth.at(0).at("exponent_error"), 0, 1e-12);
  EXPECT_EQ(growth.at(0).at("linear"), true);
  EXPECT_EQ(growth.at(0).at("fitted"), Json::parse("[20000000, 50000000, 100000000]"));
  EXPECT_EQ(growth.at(0).at("not_fitted"), Json::parse(R"([{"parameters": 1000000, "reason": "in cache"}])"));
  EXPECT_NEAR(growth.at(0).at("bytes_per_parameter"), 12, 1e-9);
}

TEST(ScalingReportJson, SaysWhyThereIsNoFit) {
  const Json json = Json::parse(to_json_text(example_report()));
  EXPECT_EQ(json.at("last_level_cache_mb"), 104.8576);
  const Json growth = json.at("growth").at(1);
  EXPECT_EQ(growth.at("ranks"), 4);
  EXPECT_TRUE(growth.at("exponent").is_null());
  EXPECT_TRUE(growth.at("linear").is_null());
  EXPECT_EQ(growth.at("fitted"), Json::array());
  EXPECT_EQ(growth.at("not_fitted"), Json::parse(R"([
    {"parameters": 1000000, "reason": "in cache"}, {"parameters": 100000000, "reason": "too few"}])"));
  EXPECT_NEAR(growth.at("bytes_per_parameter"), 48, 1e-9);
}

TEST(ScalingReportJson, DoesNotJudgeWithoutTheCache) {
  Observations seen = example_observations();
  seen.cache_bytes.reset();
  const Json json = Json::parse(to_json_text(summarize(seen)));
  EXPECT_TRUE(json.at("last_level_cache_mb").is_null());
  EXPECT_GT(json.at("growth").at(0).at("exponent"), 1.1);
  EXPECT_TRUE(json.at("growth").at(0).at("linear").is_null());
  EXPECT_EQ(json.at("growth").at(0).at("fitted").size(), 4);
}

TEST(ScalingReportJson, ExplainsTheFit) {
  const Json formula = Json::parse(to_json_text(example_report())).at("formula");
  EXPECT_EQ(
      formula.at("fitted"),
      "sizes with a working_set_mb of at least 2 x last_level_cache_mb and an outside_ms above 0; none when "
      "fewer than 3 are so");
  EXPECT_EQ(formula.at("linear"), "exponent is at most 1.1; null where last_level_cache_mb is");
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
