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
  EXPECT_EQ(result->median_ms, 44);
  EXPECT_EQ(result->p10_ms, 22);
  EXPECT_EQ(result->p90_ms, 88);
  EXPECT_EQ(result->peak_rss_mb, 200);
  EXPECT_EQ(result->samples, 3U);
  EXPECT_EQ(report.find({.model = Model::kMlp, .batch = 33}, Variant::kDdp), nullptr);
}

TEST(StepReport, KeepsTheOrderOfTheCases) {
  EXPECT_THAT(example_report().cases(), ElementsAre(kMlpCase, kGptCase));
  EXPECT_THAT(example_report().variants(), ElementsAreArray(kVariants));
}

TEST(StepReport, ComparesWithTheFasterOfPytorchsVariants) {
  EXPECT_DOUBLE_EQ(example_report().ratio(kMlpCase, Ratio::kSpeedUp).value(), 60.5 / 44);
  EXPECT_DOUBLE_EQ(example_report().ratio(kGptCase, Ratio::kSpeedUp).value(), 165.0 / 110);
}

TEST(StepReport, ComparesWithTheVariantOfPytorchThatIsThere) {
  EXPECT_DOUBLE_EQ(without({Variant::kPytorchDdpView}).ratio(kMlpCase, Ratio::kSpeedUp).value(), 66.0 / 44);
}

TEST(StepReport, ComparesWithNoCommunicationAndWithPlainLibtorch) {
  EXPECT_DOUBLE_EQ(example_report().ratio(kMlpCase, Ratio::kOverhead).value(), 1.1);
  EXPECT_DOUBLE_EQ(example_report().ratio(kMlpCase, Ratio::kOneRank).value(), 1);
}

TEST(StepReport, HasNoRatioWithoutItsVariants) {
  const Report report = without({Variant::kPytorchDdp, Variant::kPytorchDdpView, Variant::kNoComm});
  EXPECT_FALSE(report.ratio(kMlpCase, Ratio::kSpeedUp));
  EXPECT_FALSE(report.geometric_mean(Ratio::kSpeedUp));
  EXPECT_FALSE(report.geometric_mean(Ratio::kOverhead));
  EXPECT_TRUE(report.geometric_mean(Ratio::kOneRank));
}

TEST(StepReport, AveragesRatiosGeometrically) {
  EXPECT_DOUBLE_EQ(example_report().geometric_mean(Ratio::kSpeedUp).value(), std::sqrt(1.375 * 1.5));
  EXPECT_DOUBLE_EQ(example_report().geometric_mean(Ratio::kOverhead).value(), 1.1);
}

TEST(Bar, IsReachedAtItsLimit) {
  EXPECT_TRUE(reaches({Ratio::kSpeedUp, 1.25, true}, 1.25));
  EXPECT_FALSE(reaches({Ratio::kSpeedUp, 1.25, true}, 1.2499));
  EXPECT_TRUE(reaches({Ratio::kOverhead, 1.12, false}, 1.12));
  EXPECT_FALSE(reaches({Ratio::kOverhead, 1.12, false}, 1.1201));
}

}  // namespace
}  // namespace lockstep::bench::step
