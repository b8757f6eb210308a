// Ranks that run out of data before the others.

#include <gtest/gtest.h>

#include "ddp/ddp_ranks.h"

namespace lockstep::testing {
namespace {

struct NormedLayerImpl : torch::nn::Module {
  NormedLayerImpl() {
    linear = register_module("linear", torch::nn::Linear(3, 2));
    norm = register_module("norm", torch::nn::BatchNorm1d(2));
  }
  torch::Tensor forward(const torch::Tensor& x) { return norm(linear(x)); }
  torch::nn::Linear linear{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
};
TORCH_MODULE(NormedLayer);

int batches_of(int rank) {
  return 2 + 3 * rank;
}

TEST(Join, KeepsReplicasTheSameWhenEveryRankSteps) {
  run_world(3, [](World& world) {
    NormedLayer net;
    DistributedDataParallel model(net, world);
    torch::optim::AdamW optimizer(model.parameters());
    for (int epoch = 0; epoch < 2; ++epoch) {
      auto join = model.join([&] { optimizer.step(); });
      for (int batch = 0; batch < batches_of(world.rank()); ++batch) {
        optimizer.zero_grad();
        model(torch::randn({5, 3})).square().sum().backward();
        EXPECT_EQ(model.ranks_with_data(), batch < batches_of(0) ? 3 : batch < batches_of(1) ? 2 : 1);
        optimizer.step();
      }
    }
    for (const auto& parameter : model.parameters()) {
      EXPECT_TRUE(same_on_all_ranks(world, parameter));
    }
    for (const auto& buffer : net->buffers()) {
      EXPECT_TRUE(same_on_all_ranks(world, buffer));
    }
    EXPECT_EQ(net->norm->num_batches_tracked.item<std::int64_t>(), 2 * batches_of(2));
  }).expect_all_ok();
}

struct SidedLayerImpl : torch::nn::Module {
  SidedLayerImpl() {
    linear = register_module("linear", torch::nn::Linear(3, 2));
    side = register_module("side", torch::nn::Linear(3, 2));
  }
  torch::Tensor forward(const torch::Tensor& x, bool with_side) {
    return with_side ? linear(x) + side(x) : linear(x);
  }
  torch::nn::Linear linear{nullptr}, side{nullptr};
};
TORCH_MODULE(SidedLayer);

// Weight decay and momentum move whatever has a gradient, zeros included.
TEST(Join, StepsWithTheGradientsOfTheOthersWhereNobodyHasNewOnes) {
  run_world(3, [](World& world) {
    for (const bool set_to_none : {true, false}) {
      SidedLayer net;
      DistributedDataParallel model(net, world);
      torch::optim::AdamW optimizer(model.parameters(), torch::optim::AdamWOptions(0.1).weight_decay(0.1));
      auto join = model.join([&] { optimizer.step(); });
      for (int batch = 0; batch < batches_of(world.rank()); ++batch) {
        optimizer.zero_grad(set_to_none);
        model(torch::randn({5, 3}), batch < batches_of(0)).square().sum().backward();
        optimizer.step();
      }
      join.wait();
      for (const auto& parameter : net->named_parameters()) {
        EXPECT_TRUE(same_on_all_ranks(world, parameter.value()))
            << parameter.key() << (set_to_none ? "" : ", zeros");
      }
    }
  }).expect_all_ok();
}

TEST(Join, BroadcastsTheParametersInTheEndWithoutAStep) {
  run_world(3, [](World& world) {
    NormedLayer net;
    DistributedDataParallel model(net, world);
    torch::optim::SGD optimizer(model.parameters(), 0.1);
    {
      auto join = model.join();
      for (int batch = 0; batch < batches_of(world.rank()); ++batch) {
        optimizer.zero_grad();
        model(torch::randn({5, 3})).square().sum().backward();
        optimizer.step();
      }
    }
    for (const auto& parameter : model.parameters()) {
      EXPECT_TRUE(same_on_all_ranks(world, parameter));
    }
  }).expect_all_ok();
}

// One rank has data, with a gradient of ones.
torch::Tensor gradient_of_one(World& world, Divisor divisor) {
  torch::nn::Linear net(torch::nn::LinearOptions(2, 1).bias(false));
  DistributedDataParallel model(net, world, {.divisor = divisor});
  auto join = model.join();
  torch::Tensor gradient;
  for (int batch = 0; batch < (world.rank() == 1 ? 2 : 1); ++batch) {
    net->zero_grad();
    model.set_samples(world.rank() + 1);
    model(torch::ones({1, 2})).sum().backward();
    gradient = net->weight.grad().clone();
  }
  join.wait();
  return gradient;
}

TEST(Join, DividesByWhatWasAskedFor) {
  run_world(4, [](World& world) {
    if (world.rank() == 1) {
      EXPECT_TRUE(torch::equal(gradient_of_one(world, Divisor::kRanksWithData), torch::ones({1, 2})));
      EXPECT_TRUE(torch::equal(gradient_of_one(world, Divisor::kAllRanks), torch::full({1, 2}, 0.25F)));
      EXPECT_TRUE(torch::equal(gradient_of_one(world, Divisor::kSamples), torch::ones({1, 2})));
    } else {
      gradient_of_one(world, Divisor::kRanksWithData);
      gradient_of_one(world, Divisor::kAllRanks);
      gradient_of_one(world, Divisor::kSamples);
    }
  }).expect_all_ok();
}

TEST(Samples, WeighRanksSoThatTheResultIsTheMeanOverTheWholeBatch) {
  run_world(3, [](World& world) {
    torch::nn::Linear net(3, 2);
    DistributedDataParallel model(net, world, {.divisor = Divisor::kSamples});
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor whole = torch::arange(6 * 3, torch::kFloat).view({6, 3}).sin() + step;
      const int first[] = {0, 1, 3};
      const int count[] = {1, 2, 3};
      const torch::Tensor mine = whole.narrow(0, first[world.rank()], count[world.rank()]);
      torch::nn::Linear alone(3, 2);
      {
        const torch::NoGradGuard no_grad;
        alone->weight.copy_(net->weight);
        alone->bias.copy_(net->bias);
      }
      alone(whole).square().mean().backward();
      net->zero_grad();
      model.set_samples(count[world.rank()]);
      model(mine).square().mean().backward();
      EXPECT_CLOSE(net->weight.grad(), alone->weight.grad());
      EXPECT_CLOSE(net->bias.grad(), alone->bias.grad());
    }
  }).expect_all_ok();
}

TEST(Join, TellsTheOthersWhenAnExceptionLeavesItsScope) {
  const auto results = run_world(2, [](World& world) {
    torch::nn::Linear net(3, 2);
    DistributedDataParallel model(net, world);
    auto join = model.join();
    for (int batch = 0; batch < 3; ++batch) {
      if (world.rank() == 1 && batch == 1) {
        throw std::runtime_error("the loader broke");
      }
      model(torch::randn({5, 3})).sum().backward();
    }
    join.wait();
  });
  EXPECT_NE(results[0].exception_text.find("an exception left the scope of join on rank 1"),
            std::string::npos)
      << results[0].describe();
  EXPECT_EQ(results[1].exception_text, "the loader broke");
}

}  // namespace
}  // namespace lockstep::testing
