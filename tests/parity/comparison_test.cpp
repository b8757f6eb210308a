#include "parity/comparison.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>

namespace lockstep::testing {
namespace {

std::string failure_of(double tolerance, const torch::Tensor& actual, const torch::Tensor& expected) {
  Comparison comparison(tolerance);
  comparison.compare("x", actual, expected);
  return comparison.first_failure();
}

TEST(Comparison, OfBitsSeesTheLastOne) {
  const torch::Tensor value = torch::ones(4);
  torch::Tensor next = value.clone();
  next[2] = std::nextafter(1.0F, 2.0F);
  EXPECT_EQ(failure_of(0, value, value.clone()), "");
  EXPECT_EQ(failure_of(0, next, value), "x: not the same bits, relative difference 5.96046e-08");
  EXPECT_EQ(failure_of(1e-6, next, value), "");
}

TEST(Comparison, OfBitsSeesTheSignOfZero) {
  EXPECT_EQ(failure_of(0, -torch::zeros(1), torch::zeros(1)), "x: not the same bits, relative difference 0");
}

TEST(Comparison, OfBitsTakesTheSameNotANumberAsEqual) {
  const torch::Tensor nothing = torch::full({2}, std::nan(""));
  EXPECT_EQ(failure_of(0, nothing, nothing.clone()), "");
}

TEST(Comparison, HoldsTheNormToTheTolerance) {
  const torch::Tensor expected = torch::tensor({3.0F, 4.0F});
  const torch::Tensor actual = torch::tensor({3.0F, 4.5F});
  EXPECT_EQ(failure_of(0.1, actual, expected), "");
  EXPECT_EQ(failure_of(0.09, actual, expected), "x: relative difference 0.1 is more than 0.09");
}

TEST(Comparison, TakesNothingForCloseToZerosOrNotANumber) {
  EXPECT_EQ(failure_of(1e-6, torch::ones(1), torch::zeros(1)),
            "x: relative difference inf is more than 1e-06");
  Comparison comparison(1e-6);
  comparison.compare("x", torch::full({1}, std::nan("")), torch::ones(1));
  EXPECT_EQ(comparison.first_failure(), "x: relative difference nan is more than 1e-06");
  EXPECT_EQ(comparison.worst(), std::numeric_limits<double>::infinity());
}

TEST(Comparison, TakesNoTensorForAnother) {
  EXPECT_EQ(failure_of(1, torch::zeros({2, 3}), torch::zeros({3, 2})),
            "x: Float [2, 3] instead of Float [3, 2]");
  EXPECT_EQ(failure_of(1, torch::zeros(2, torch::kInt64), torch::zeros(2)),
            "x: Long [2] instead of Float [2]");
  EXPECT_EQ(failure_of(1, {}, torch::zeros(2)), "x: nothing instead of Float [2]");
  EXPECT_EQ(failure_of(1, torch::zeros(2), {}), "x: Float [2] instead of nothing");
  EXPECT_EQ(failure_of(1, {}, {}), "");
}

TEST(Comparison, KeepsTheFirstFailureAndTheWorstDifference) {
  Comparison comparison(1e-3);
  comparison.compare("a", torch::ones(1), torch::ones(1));
  comparison.compare("b", torch::full({1}, 1.25), torch::ones(1));
  comparison.compare("c", torch::full({1}, 1.5), torch::ones(1));
  comparison.compare("d", torch::full({1}, 1.25), torch::ones(1));
  comparison.compare("e", {}, {});
  EXPECT_EQ(comparison.first_failure(), "b: relative difference 0.25 is more than 0.001");
  EXPECT_EQ(comparison.worst(), 0.5);
  EXPECT_EQ(comparison.count(), 4U);
}

}  // namespace
}  // namespace lockstep::testing
