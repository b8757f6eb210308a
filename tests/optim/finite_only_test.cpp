// Steps that are not taken because gradients are not finite.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lockstep/sharded_optimizer.h"
#include "optim/odd_net.h"

namespace lockstep::testing {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct WeighedNetImpl : OddNetImpl {
  torch::Tensor forward(float weight) {
    torch::Tensor sum = torch::zeros({});
    for (const torch::Tensor& parameter : parameters()) {
      sum = sum + parameter.sum() * weight;
    }
    return sum;
  }
};
TORCH_MODULE(WeighedNet);

// The gradient is that of one rank only, and in the slices of whoever owns them.
TEST(FiniteOnly, AllRanksLeaveAStepOutWhenOneHasNoFiniteGradient) {
  run_world(3, [](World& world) {
    WeighedNet net;
    DistributedDataParallel model(net, world);
    optim::AdamW optimizer(model, torch::optim::AdamWOptions(0.1), {.finite_only = true});
    const auto train_with = [&](float weight) {
      optimizer.zero_grad();
      model(weight).backward();
      optimizer.step();
    };
    train_with(1);
    EXPECT_TRUE(optimizer.took_step());
    EXPECT_TRUE(std::isfinite(optimizer.gradient_norm()));
    const torch::Tensor before = net->parameters()[0].detach().clone();
    train_with(world.rank() == 1 ? kInfinity : 1.0F);
    EXPECT_FALSE(optimizer.took_step());
    EXPECT_FALSE(std::isfinite(optimizer.gradient_norm()));
    EXPECT_TRUE(torch::equal(before, net->parameters()[0].detach()));
    for (const auto& [name, tensor] : optimizer.full_state()) {
      EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << name;
    }
    train_with(1);
    EXPECT_TRUE(optimizer.took_step());
    EXPECT_FALSE(torch::equal(before, net->parameters()[0].detach()));
  }).expect_all_ok();
}

TEST(FiniteOnly, TheNormIsKnownWithoutClippingWhenTheLimitIsInfinite) {
  run_world(2, [](World& world) {
    WeighedNet net;
    DistributedDataParallel model(net, world);
    optim::SGD optimizer(model, torch::optim::SGDOptions(0.0), {.max_norm = kInfinity});
    model(2.0F).backward();
    optimizer.step();
    double elements = 0;
    for (const torch::Tensor& parameter : net->parameters()) {
      elements += static_cast<double>(parameter.numel());
    }
    EXPECT_NEAR(optimizer.gradient_norm(), std::sqrt(elements * 4), 1e-4);
    EXPECT_EQ(net->parameters()[0].grad().flatten()[0].item<float>(), 2);
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
