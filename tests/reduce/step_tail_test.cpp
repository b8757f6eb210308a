#include "reduce/step_tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace lockstep {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What an average over ranks makes of their tails, with the arithmetic of the f32 kernels.
TailTotals averaged(const std::vector<StepTail>& tails, std::size_t gradients) {
  const int ranks = static_cast<int>(tails.size());
  std::vector<float> sum(tail_size(ranks, gradients));
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<float> one(sum.size(), 99.0F);  // what a step before has left there
    write_tail(tails[static_cast<std::size_t>(rank)], rank, ranks, one);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += one[i];
    }
  }
  for (float& element : sum) {
    element /= static_cast<float>(ranks);
  }
  return read_tail(sum, ranks);
}

TEST(StepTail, TellsWhoHasDataForAnyNumberOfRanks) {
  for (unsigned ranks = 1; ranks <= 5; ++ranks) {
    for (unsigned mask = 0; mask < 1U << ranks; ++mask) {
      std::vector<StepTail> tails(ranks);
      std::vector<bool> expected(ranks);
      for (unsigned rank = 0; rank < ranks; ++rank) {
        expected[rank] = tails[rank].has_data = (mask >> rank & 1U) != 0;
      }
      EXPECT_EQ(averaged(tails, 0).has_data, expected) << ranks << " ranks, mask " << mask;
    }
  }
}

TEST(StepTail, TellsWhatAnyRankHasUsed) {
  using enum GradientPart;
  EXPECT_THAT(averaged({{.parts = {kUsed, kNone, kNone, kUsed}},
                        {.parts = {kUsed, kNone, kKept, kKept}},
                        {.parts = {kNone, kNone, kUsed, kKept}}},
                       4)
                  .parts,
              ElementsAre(kUsed, kNone, kUsed, kUsed));
}

TEST(StepTail, TellsWhatIsOnlyKeptForAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 3, 7, 1000}) {
    std::vector<StepTail> tails(static_cast<std::size_t>(ranks), {.parts = {GradientPart::kKept}});
    EXPECT_THAT(averaged(tails, 1).parts, ElementsAre(GradientPart::kKept)) << ranks << " ranks";
    for (StepTail& tail : tails) {
      tail.parts = {GradientPart::kNone};
    }
    tails.back().parts = {GradientPart::kKept};
    EXPECT_THAT(averaged(tails, 1).parts, ElementsAre(GradientPart::kKept)) << "one of " << ranks;
    tails.back().parts = {GradientPart::kUsed};
    EXPECT_THAT(averaged(tails, 1).parts, ElementsAre(GradientPart::kUsed)) << "one of " << ranks;
  }
}

TEST(StepTail, LeavesUsageUncountedWhenNobodyCountsIt) {
  EXPECT_THAT(averaged({{}, {}}, 3).parts, Each(GradientPart::kNone));
  EXPECT_THAT(averaged({{}, {}}, 0).parts, IsEmpty());
}

TEST(StepTail, GivesTheMeanOfSamplesWithoutLoss) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0.0, 1000.0);
  for (std::size_t ranks = 1; ranks <= 5; ++ranks) {
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<StepTail> tails(ranks);
      double sum = 0;
      for (StepTail& tail : tails) {
        tail.samples = std::numeric_limits<double>::min() + uniform(random);
        tail.has_data = random() % 4 != 0;
        sum += tail.has_data ? tail.samples : 0;
      }
      ASSERT_EQ(averaged(tails, 2).mean_samples, sum / static_cast<double>(ranks)) << ranks << " ranks";
    }
  }
}

TEST(StepTail, CarriesSamplesOfEverySize) {
  const auto smallest = std::numeric_limits<double>::denorm_min();
  const auto largest = std::numeric_limits<double>::max();
  for (const double samples : {1.0, 0.1, 16777217.0, 4194303.0, smallest, largest}) {
    const TailTotals totals = averaged({{.has_data = false}, {.samples = samples}, {.has_data = false}}, 1);
    EXPECT_EQ(totals.mean_samples, samples / 3);
    EXPECT_THAT(totals.has_data, ElementsAre(false, true, false));
  }
}

TEST(StepTail, OfAStepThatNobodyHadDataForIsAllZeros) {
  const TailTotals totals =
      averaged({{.has_data = false, .samples = 5}, {.has_data = false, .parts = {GradientPart::kNone}}}, 1);
  EXPECT_EQ(totals.mean_samples, 0);
  EXPECT_THAT(totals.has_data, ElementsAre(false, false));
  EXPECT_THAT(totals.parts, ElementsAre(GradientPart::kNone));
}

}  // namespace
}  // namespace lockstep
