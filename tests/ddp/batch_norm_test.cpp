// Buffers, and batch norm over all ranks.

#include <gmock/gmock.h>

#include "ddp/ddp_ranks.h"
#include "lockstep/sync_batch_norm.h"

namespace lockstep::testing {
namespace {

struct NormalizedImpl : torch::nn::Module {
  NormalizedImpl() {
    conv = register_module("conv", torch::nn::Conv2d(2, 3, 3));
    norm = register_module("norm", torch::nn::BatchNorm2d(3));
    tail = register_module(
        "tail", torch::nn::Sequential(
                    torch::nn::BatchNorm2d(torch::nn::BatchNormOptions(3).affine(false)),
                    torch::nn::BatchNorm2d(torch::nn::BatchNormOptions(3).track_running_stats(false))));
  }
  torch::Tensor forward(const torch::Tensor& x) { return tail->forward(torch::relu(norm(conv(x)))); }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
  torch::nn::Sequential tail{nullptr};
};
TORCH_MODULE(Normalized);

TEST(Buffers, AreThoseOfRankZeroAfterEveryStep) {
  run_world(2, [](World& world) {
    Normalized net;
    DistributedDataParallel model(net, world);
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor x = torch::randn({4, 2, 6, 6});
      const torch::Tensor before = net->norm->running_mean.clone();
      const torch::Tensor y = model(x);
      const torch::Tensor mine = net->norm->running_mean.clone();
      y.square().sum().backward();
      EXPECT_TRUE(same_on_all_ranks(world, net->norm->running_mean));
      EXPECT_EQ(torch::equal(net->norm->running_mean, mine), world.rank() == 0);
      EXPECT_FALSE(torch::equal(net->norm->running_mean, before));
    }
  }).expect_all_ok();
}

TEST(Buffers, CanBeAveragedOrLeftAlone) {
  run_world(2, [](World& world) {
    for (const BufferSync mode : {BufferSync::kAverage, BufferSync::kNone}) {
      Normalized net;
      DistributedDataParallel model(net, world, {.buffers = mode});
      const torch::Tensor y = model(torch::randn({4, 2, 6, 6}));
      const torch::Tensor mine = net->norm->running_mean.clone();
      const torch::Tensor mean = mean_over_ranks(world, mine);
      y.square().sum().backward();
      if (mode == BufferSync::kAverage) {
        EXPECT_CLOSE(net->norm->running_mean, mean);
        EXPECT_EQ(net->norm->num_batches_tracked.item<std::int64_t>(), 1);
      } else {
        EXPECT_TRUE(torch::equal(net->norm->running_mean, mine));
      }
    }
  }).expect_all_ok();
}

TEST(Buffers, LetTwoForwardsComeBeforeABackward) {
  run_world(2, [](World& world) {
    Normalized net;
    DistributedDataParallel model(net, world);
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor real = model(torch::randn({4, 2, 6, 6}));
      const torch::Tensor fake = model(torch::randn({4, 2, 6, 6}));
      (real.square().sum() - fake.square().sum()).backward();
      EXPECT_TRUE(same_on_all_ranks(world, net->norm->running_var));
    }
  }).expect_all_ok();
}

TEST(SyncBatchNorm, EqualsOneProcessWithTheWholeBatch) {
  run_world(3, [](World& world) {
    Normalized net;
    Normalized alone;
    EXPECT_EQ(convert_sync_batchnorm(*net, world), 3);
    EXPECT_EQ(convert_sync_batchnorm(*net, world), 0);
    DistributedDataParallel model(net, world, {.buffers = BufferSync::kNone});
    {
      const torch::NoGradGuard no_grad;
      for (std::size_t i = 0; i < net->parameters().size(); ++i) {
        alone->parameters()[i].copy_(net->parameters()[i]);
      }
    }
    torch::manual_seed(7);
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor whole = torch::randn({6, 2, 6, 6});
      const torch::Tensor weights = torch::randn({6, 3, 4, 4});
      const int first[] = {0, 1, 3};
      const int count[] = {1, 2, 3};
      const auto part = [&](const torch::Tensor& all) {
        return all.narrow(0, first[world.rank()], count[world.rank()]);
      };
      alone->zero_grad();
      const torch::Tensor expected = alone->forward(whole);
      (expected * weights).mean().backward();
      net->zero_grad();
      const torch::Tensor y = model(part(whole));
      EXPECT_TRUE(torch::allclose(y, part(expected), 1e-4, 1e-5));
      // Each rank's share of the mean over all, times the ranks that the average divides by.
      ((y * part(weights)).sum() * (3.0 / static_cast<double>(weights.numel()))).backward();
      for (std::size_t i = 0; i < net->parameters().size(); ++i) {
        EXPECT_TRUE(torch::allclose(net->parameters()[i].grad(), alone->parameters()[i].grad(), 1e-3, 1e-6))
            << net->named_parameters().keys()[i];
      }
      EXPECT_CLOSE(net->norm->running_mean, alone->norm->running_mean);
      EXPECT_CLOSE(net->norm->running_var, alone->norm->running_var);
    }
    net->eval();
    alone->eval();
    const torch::Tensor x = torch::randn({2, 2, 6, 6});
    EXPECT_EQ(net->norm->forward(net->conv->forward(x)).sizes(), (std::vector<std::int64_t>{2, 3, 4, 4}));
  }).expect_all_ok();
}

TEST(SyncBatchNorm, LeavesOtherLayersAlone) {
  run_world(2, [](World& world) {
    Normalized converted;
    Normalized plain;
    convert_sync_batchnorm(*converted, world);
    if (world.rank() == 0) {  // would wait for the other rank if it were converted
      plain->forward(torch::randn({4, 2, 6, 6})).sum().backward();
    }
  }).expect_all_ok();
}

TEST(SyncBatchNorm, RefusesALayerThatNothingTellsApart) {
  const auto results = run_world(2, [](World& world) {
    torch::nn::Sequential net(
        torch::nn::BatchNorm1d(torch::nn::BatchNormOptions(3).affine(false).track_running_stats(false)));
    convert_sync_batchnorm(*net, world);
  });
  for (const auto& result : results) {
    EXPECT_THAT(result.exception_text,
                ::testing::HasSubstr("batch norm '0' has neither weights nor running"));
  }
}

}  // namespace
}  // namespace lockstep::testing
