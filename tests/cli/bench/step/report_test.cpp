#include "cli/bench/step/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cli/bench/step/example_report.h"

namespace lockstep::bench::step {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

const Ratio& ratio_called(std::string_view name) {
  return *std::find_if(kRatios.begin(), kRatios.end(),
                       [&](const Ratio& ratio) { return ratio.name == name; });
}

// Without some of the variants.
Report without(const std::vector<Variant>& variants) {
  Report report = example_report();
  for (const Variant variant : variants) {
    report.results.erase(std::remove_if(report.results.begin(), report.results.end(),
                                        [&](const Result& result) { return result.variant == variant; }),
                         report.results.end());
  }
  return report;
}

TEST(StepReport, SummarizesTheTimesOfEachVariant) {
  const Report report = example_report();
  const Result* result = report.find(kMlpCase, Variant::kDdp);
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(result->step.median_ms, 44);
  EXPECT_EQ(result->step.p10_ms, 22);
  EXPECT_EQ(result->step.p90_ms, 88);
  EXPECT_EQ(result->step.peak_rss_mb, 300);
  EXPECT_EQ(result->step.total_memory_mb, 450);
  EXPECT_EQ(result->step.samples, 3U);
  EXPECT_EQ(report.find({.model = Model::kMlp, .batch = 33}, Variant::kDdp), nullptr);
}

TEST(StepReport, KeepsTheOrderOfTheCases) {
  EXPECT_THAT(example_report().cases(), ElementsAre(kMlpCase, kGptCase));
  EXPECT_THAT(example_report().variants(), ElementsAreArray(kVariants));
}

TEST(StepReport, ComparesWithTheFasterOfPytorchsVariants) {
  EXPECT_DOUBLE_EQ(example_report().ratio(kMlpCase, ratio_called("speed-up")).value(), 60.5 / 44);
  EXPECT_DOUBLE_EQ(example_report().ratio(kGptCase, ratio_called("speed-up")).value(), 165.0 / 110);
}

TEST(StepReport, ComparesWithTheVariantOfPytorchThatIsThere) {
  EXPECT_DOUBLE_EQ(without({Variant::kPytorchDdpView}).ratio(kMlpCase, ratio_called("speed-up")).value(),
                   63.0 / 44);
}

TEST(StepReport, ComparesWithNoCommunicationAndWithPlainLibtorch) {
  EXPECT_DOUBLE_EQ(example_report().ratio(kMlpCase, ratio_called("overhead")).value(), 1.1);
  EXPECT_DOUBLE_EQ(example_report().ratio(kMlpCase, ratio_called("one rank")).value(), 1);
}

TEST(StepReport, HasNoRatioWithoutItsVariants) {
  const Report report =
      without({Variant::kPytorchDdp, Variant::kPytorchDdpView, Variant::kPytorchDdpFused, Variant::kNoComm});
  EXPECT_FALSE(report.ratio(kMlpCase, ratio_called("speed-up")));
  EXPECT_FALSE(report.geometric_mean(ratio_called("speed-up")));
  EXPECT_FALSE(report.geometric_mean(ratio_called("overhead")));
  EXPECT_TRUE(report.geometric_mean(ratio_called("one rank")));
}

TEST(StepReport, AveragesRatiosGeometrically) {
  EXPECT_DOUBLE_EQ(example_report().geometric_mean(ratio_called("speed-up")).value(), std::sqrt(1.375 * 1.5));
  EXPECT_DOUBLE_EQ(example_report().geometric_mean(ratio_called("overhead")).value(), 1.1);
}

TEST(StepReport, ComparesTheBestOfTheShardedWithEachPeersBest) {
  EXPECT_DOUBLE_EQ(example_report().ratio(kMlpCase, ratio_called("sharded speed-up")).value(), 60.5 / 42);
  EXPECT_DOUBLE_EQ(example_report().ratio(kMlpCase, ratio_called("sharded vs threads")).value(), 46.2 / 42);
  EXPECT_DOUBLE_EQ(example_report().ratio(kGptCase, ratio_called("sharded vs threads")).value(), 115.5 / 105);
  EXPECT_DOUBLE_EQ(example_report().ratio(kMlpCase, ratio_called("sharded overhead")).value(), 1.05);
}

TEST(StepReport, ComparesMemoryInAll) {
  EXPECT_DOUBLE_EQ(example_report().ratio(kMlpCase, ratio_called("sharded memory")).value(), 4.0 / 8);
  EXPECT_DOUBLE_EQ(example_report().ratio(kMlpCase, ratio_called("shared memory")).value(), 5.0 / 4);
}

}  // namespace
}  // namespace lockstep::bench::step
