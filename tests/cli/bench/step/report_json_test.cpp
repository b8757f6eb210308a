#include "cli/bench/step/report_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/bench/step/example_report.h"
#include "lockstep/version.h"

namespace lockstep::bench::step {
namespace {

using Json = nlohmann::json;

Json example_json() {
  return Json::parse(to_json_text(example_report()));
}

TEST(StepReportJson, SaysItsFormatAndWhereItWasMade) {
  const Json json = example_json();
  EXPECT_EQ(json.at("format"), 1);
  EXPECT_EQ(json.at("lockstep"), version());
  EXPECT_EQ(json.at("rounds"), 7);
  EXPECT_EQ(json.at("machine"), Json::parse(R"({
    "processor": "Example <8> & Sons", "cores": 2, "kernel": "6.1.0",
    "load_before": "0.10 0.20 0.30", "load_after": "1.10 0.40 0.30",
    "versions": ["lockstep 1.2.3 on libtorch 2.3.4", "PyTorch 2.3.4"]})"));
}

TEST(StepReportJson, HasAnEntryForEachResult) {
  const Json results = example_json().at("results");
  ASSERT_EQ(results.size(), 2 * kVariants.size());
  EXPECT_EQ(results.at(2), Json::parse(R"({
    "model": "mlp", "batch": 32, "variant": "ddp", "ranks": 2, "median_ms": 44.0, "p10_ms": 22.0, "p90_ms": 88.0,
    "peak_rss_mb": 300.0, "total_memory_mb": 450.0, "samples": 3})"));
  EXPECT_EQ(results.at(5).at("variant"), "ddp-1rank");
  EXPECT_EQ(results.at(5).at("ranks"), 1);
}

TEST(StepReportJson, HasTheRatiosOfEachCase) {
  const Json ratios = example_json().at("ratios");
  ASSERT_EQ(ratios.size(), 2);
  EXPECT_EQ(ratios.at(0), Json::parse(R"({
    "model": "mlp", "batch": 32, "sharded_speed_up": 1.4404761904761905, "sharded_vs_threads": 1.1,
    "sharded_overhead": 1.05, "sharded_memory": 0.5,
    "shared_memory": 1.25, "speed_up": 1.375, "overhead": 1.1, "one_rank": 1.0})"));
}

TEST(StepReportJson, SaysWhichBarsWereReached) {
  const Json bars = example_json().at("bars");
  ASSERT_EQ(bars.size(), kRatios.size());
  EXPECT_EQ(bars.at(0).at("ratio"), "sharded_speed_up");
  EXPECT_EQ(bars.at(0).at("at_least"), 1.5);
  EXPECT_NEAR(bars.at(0).at("geometric_mean"), 1.504, 0.001);
  EXPECT_EQ(bars.at(0).at("reached"), true);
  EXPECT_EQ(bars.at(2).at("at_most"), 1.06);
}

TEST(StepReportJson, SaysHowNearTheCoresWere) {
  EXPECT_EQ(example_json().at("ping_pong"), Json::parse(R"({"median_ns": 95.0, "p95_ns": 510.0,
    "blocks": {"same-L3": 20, "cross-L3": 0, "mixed": 2}})"));
}

TEST(StepReportJson, HasNothingForWhatWasNotMeasured) {
  Report report = example_report();
  report.results.resize(1);
  report.left_out = {"ddp: gone"};
  report.ping_pong.reset();
  const Json json = Json::parse(to_json_text(report));
  EXPECT_TRUE(json.at("ratios").at(0).at("overhead").is_null());
  EXPECT_TRUE(json.at("bars").at(0).at("geometric_mean").is_null());
  EXPECT_TRUE(json.at("bars").at(0).at("reached").is_null());
  EXPECT_TRUE(json.at("ping_pong").is_null());
  EXPECT_EQ(json.at("left_out"), Json::parse(R"(["ddp: gone"])"));
}

TEST(StepReportJson, ExplainsEveryNumberItHas) {
  const Json formula = example_json().at("formula");
  for (const char* name :
       {"sample", "median_ms", "p10_ms", "p90_ms", "peak_rss_mb", "speed_up", "overhead", "one_rank"}) {
    EXPECT_TRUE(formula.contains(name)) << name;
  }
}

}  // namespace
}  // namespace lockstep::bench::step
