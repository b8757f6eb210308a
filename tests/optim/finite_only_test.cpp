// Steps that are not taken because gradients are not finite.

#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "lockstep/grad_scaler.h"
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
    optim::ShardedAdamW optimizer(model, torch::optim::AdamWOptions(0.1), {.finite_only = true});
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

// One element of one gradient, which only the rank that owns it looks at.
void put(const torch::nn::Module& net, std::size_t parameter, std::int64_t element, float value) {
  torch::Tensor gradient = net.parameters()[parameter].grad();
  gradient.as_strided({gradient.numel()}, {1})[element] = value;
}

TEST(FiniteOnly, AllRanksLeaveAStepOutWhenTheOwnerOfOneElementFindsItInfinite) {
  run_world(3, [](World& world) {
    WeighedNet net;
    DistributedDataParallel model(net, world, small_buckets());
    optim::ShardedSGD careful(model, torch::optim::SGDOptions(0.1), {.finite_only = true});
    optim::ShardedSGD scaled(model, torch::optim::SGDOptions(0.1));
    GradScaler scaler(world.communicator(), {.initial_scale = 2});
    GradScaler off(world.communicator(), {.enabled = false});
    model(1.0F).backward();
    careful.step();  // after which each rank has its slices only
    for (std::size_t parameter = 0; parameter < net->parameters().size(); ++parameter) {
      for (const std::int64_t element : {std::int64_t{0}, net->parameters()[parameter].numel() - 1}) {
        SCOPED_TRACE(c10::str("element ", element, " of parameter ", parameter));
        careful.zero_grad();
        model(1.0F).backward();
        const std::string before = bits_of(*net);
        put(*net, parameter, element, kInfinity);
        EXPECT_FALSE(off.step(careful)) << "a scaler that is off says what the optimizer does";
        EXPECT_FALSE(careful.took_step());
        EXPECT_FALSE(scaler.step(scaled));
        scaler.update();
        EXPECT_EQ(bits_of(*net), before);
        put(*net, parameter, element, 1);
        EXPECT_TRUE(off.step(careful));
        EXPECT_NE(bits_of(*net), before);
      }
    }
  }).expect_all_ok();
}

TEST(FiniteOnly, AnInfiniteLimitNeverScales) {
  run_world(2, [](World& world) {
    WeighedNet net;
    DistributedDataParallel model(net, world);
    optim::ShardedSGD optimizer(model, torch::optim::SGDOptions(1.0), {.max_norm = kInfinity});
    model(1.0F).backward();
    const torch::Tensor before = net->parameters()[1].detach().clone();
    put(*net, 0, 0, kInfinity);
    optimizer.step();
    EXPECT_TRUE(std::isinf(optimizer.gradient_norm()));
    EXPECT_TRUE(torch::equal(net->parameters()[1], before - 1));
  }).expect_all_ok();
}

TEST(FiniteOnly, TheNormIsKnownWithoutClippingWhenTheLimitIsInfinite) {
  run_world(2, [](World& world) {
    WeighedNet net;
    DistributedDataParallel model(net, world);
    optim::ShardedSGD optimizer(model, torch::optim::SGDOptions(0.0), {.max_norm = kInfinity});
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
