#include "cli/bench/report_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/bench/example_report.h"
#include "lockstep/version.h"

namespace lockstep::bench {
namespace {

using Json = nlohmann::json;

Json example_json() {
  return Json::parse(to_json_text(example_report()));
}

TEST(ReportJson, SaysItsFormatAndWhereItWasMade) {
  const Json json = example_json();
  EXPECT_EQ(json.at("format"), 1);
  EXPECT_EQ(json.at("lockstep"), version());
  EXPECT_EQ(json.at("machine"), Json::parse(R"({
    "processor": "Example <8> & Sons", "cores": 2, "kernel": "6.1.0",
    "load_before": "0.10 0.20 0.30", "load_after": "1.10 0.40 0.30",
    "versions": {"lockstep": "lockstep 1.2.3", "gloo": "libtorch 2.3.4", "openmpi": "Open MPI v4.1.4"}})"));
}

TEST(ReportJson, HasAnEntryForEachResult) {
  const Json results = example_json().at("results");
  ASSERT_EQ(results.size(), 6);
  EXPECT_EQ(results.at(0), Json::parse(R"({
    "impl": "lockstep", "ranks": 2, "bytes": 4096, "median_us": 2.0, "p95_us": 4.0, "busbw_gbs": 2.048,
    "samples": 3, "by_proximity": {"same-L3": {"median_us": 1.8, "samples": 1},
                                   "cross-L3": {"median_us": 3.0, "samples": 2}}})"));
}

TEST(ReportJson, HasTheBoundOfEachPoint) {
  const Json bounds = example_json().at("bound");
  ASSERT_EQ(bounds.size(), 2);
  EXPECT_EQ(bounds.at(0).at("ranks"), 2);
  EXPECT_EQ(bounds.at(0).at("bytes"), 4096);
  EXPECT_DOUBLE_EQ(bounds.at(0).at("bound_us"), 1.2);
  EXPECT_DOUBLE_EQ(bounds.at(0).at("share"), 0.6);
  EXPECT_GT(bounds.at(0).at("busbw_gbs"), 3.4);
}

TEST(ReportJson, ComparesWithLockstep) {
  const Json ratios = example_json().at("ratios");
  ASSERT_EQ(ratios.size(), 4);
  EXPECT_EQ(ratios.at(0),
            Json::parse(R"({"impl": "gloo", "ranks": 2, "bytes": 4096, "times_lockstep": 40.0})"));
}

TEST(ReportJson, CountsTheBlocksOfEveryKind) {
  EXPECT_EQ(example_json().at("ping_pong"), Json::parse(R"({"median_ns": 200.0, "p95_ns": 400.0,
                            "blocks": {"same-L3": 1, "cross-L3": 2, "mixed": 0}})"));
}

TEST(ReportJson, ExplainsEveryNumberItHas) {
  const Json formula = example_json().at("formula");
  for (const char* name :
       {"sample", "median_us", "p95_us", "busbw_gbs", "bound_us", "share", "times_lockstep"}) {
    EXPECT_TRUE(formula.contains(name)) << name;
  }
}

TEST(ReportJson, HasNoShareWithoutLockstep) {
  Observations seen = example_observations();
  seen.samples.erase({{.ranks = 2, .bytes = 4096}, Implementation::kLockstep});
  const Json json = Json::parse(to_json_text(summarize(seen)));
  EXPECT_TRUE(json.at("bound").at(0).at("share").is_null());
}

}  // namespace
}  // namespace lockstep::bench
