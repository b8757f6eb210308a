#include "lockstep/autocast.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>

#include "lockstep/error.h"

namespace lockstep {
namespace {

torch::Dtype product_type() {
  const torch::Tensor a = torch::ones({2, 2});
  return torch::mm(a, a).scalar_type();
}

TEST(Autocast, LowersThePrecisionOfProductsWhileItLives) {
  EXPECT_EQ(product_type(), torch::kFloat32);
  {
    const Autocast autocast(torch::kBFloat16);
    EXPECT_EQ(product_type(), torch::kBFloat16);
  }
  EXPECT_EQ(product_type(), torch::kFloat32);
}

TEST(Autocast, KeepsTheLossInFullPrecision) {
  const Autocast autocast(torch::kBFloat16);
  const torch::Tensor scores = torch::mm(torch::ones({2, 2}), torch::ones({2, 3}));
  const torch::Tensor loss = torch::nn::functional::cross_entropy(scores, torch::tensor({0, 1}));
  EXPECT_EQ(loss.scalar_type(), torch::kFloat32);
}

TEST(Autocast, Nests) {
  const Autocast outer(torch::kBFloat16);
  {
    const Autocast inner(torch::kFloat16);
    EXPECT_EQ(product_type(), torch::kFloat16);
    const Autocast off(torch::kFloat16, torch::kCPU, false);
    EXPECT_EQ(product_type(), torch::kFloat32);
  }
  EXPECT_EQ(product_type(), torch::kBFloat16);
}

TEST(Autocast, SeesWeightsThatChangedBetweenTwoGuards) {
  torch::Tensor weight = torch::ones({2, 2}, torch::requires_grad());
  const auto product = [&] {
    const Autocast autocast(torch::kBFloat16);
    return torch::mm(torch::ones({2, 2}), weight).sum().item<float>();
  };
  EXPECT_EQ(product(), 8);
  {
    const torch::NoGradGuard no_grad;
    weight.fill_(3.0F);
  }
  EXPECT_EQ(product(), 24);
}

TEST(Autocast, LeavesGradientsInThePrecisionOfTheParameters) {
  torch::Tensor weight = torch::ones({2, 2}, torch::requires_grad());
  torch::Tensor loss;
  {
    const Autocast autocast(torch::kBFloat16);
    loss = torch::mm(torch::ones({2, 2}), weight).sum();
  }
  loss.backward();
  EXPECT_EQ(weight.grad().scalar_type(), torch::kFloat32);
}

TEST(Autocast, RefusesOtherTypes) {
  try {
    const Autocast autocast(torch::kFloat64);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "autocast is for bfloat16 and float16, not for Double");
  }
  EXPECT_EQ(product_type(), torch::kFloat32);
}

}  // namespace
}  // namespace lockstep
