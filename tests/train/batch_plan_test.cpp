#include "train/batch_plan.h"

#include <gtest/gtest.h>

#include <string>

#include "lockstep/error.h"

namespace lockstep::train {
namespace {

std::string refusal(std::uint64_t batch, int ranks, std::uint64_t micro) {
  try {
    plan_batches(batch, ranks, micro);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidConfig);
    return error.message();
  }
  return "";
}

TEST(BatchPlan, GivesEveryRankItsShareAtOnce) {
  const BatchPlan plan = plan_batches(64, 2, 0);
  EXPECT_EQ(plan.share, 32U);
  EXPECT_EQ(plan.micro_batch, 32U);
  EXPECT_EQ(plan.accumulation, 1);
  EXPECT_EQ(plan.describe(), "64 samples a step = 2 ranks x 32");
}

TEST(BatchPlan, DerivesAccumulationFromTheMicroBatch) {
  const BatchPlan plan = plan_batches(64, 2, 16);
  EXPECT_EQ(plan.share, 32U);
  EXPECT_EQ(plan.accumulation, 2);
  EXPECT_EQ(plan.describe(), "64 samples a step = 2 ranks x 2 micro-batches x 16");
  EXPECT_EQ(plan_batches(5, 1, 1).describe(), "5 samples a step = 1 rank x 5 micro-batches x 1");
}

TEST(BatchPlan, ShowsTheArithmeticWhenABatchDoesNotDivide) {
  EXPECT_EQ(refusal(100, 3, 0),
            "a batch of 100 does not divide over 3 ranks: 100 = 3 x 33 + 1; use --batch-size 99 or 102");
  EXPECT_EQ(refusal(2, 3, 0), "a batch of 2 does not divide over 3 ranks: 2 = 3 x 0 + 2; use --batch-size 3");
  EXPECT_EQ(refusal(0, 2, 0), "a batch of 0 does not divide over 2 ranks: 0 = 2 x 0 + 0; use --batch-size 2");
}

TEST(BatchPlan, ShowsTheArithmeticWhenAShareDoesNotDivide) {
  EXPECT_EQ(refusal(100, 2, 16),
            "a rank's share is 50 samples (a batch of 100 over 2 ranks), no multiple of a micro-batch of 16: "
            "50 = 16 x 3 + 2; use --batch-size 96 or 128");
  EXPECT_EQ(refusal(8, 1, 16),
            "a rank's share is 8 samples (a batch of 8 over 1 rank), less than a micro-batch of 16; use "
            "--micro-batch 8 or --batch-size 16");
}

}  // namespace
}  // namespace lockstep::train
