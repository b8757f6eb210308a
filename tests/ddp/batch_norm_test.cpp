// Buffers, and batch norm over all ranks.

#include <ATen/core/dispatch/Dispatcher.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <functional>

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

// The gradient penalty of a discriminator: half of it is a derivative of derivatives.
torch::Tensor penalized(const std::function<torch::Tensor(torch::Tensor)>& score, const torch::Tensor& x) {
  const torch::Tensor input = x.detach().requires_grad_();
  const torch::Tensor scores = score(input);
  const torch::Tensor slope = torch::autograd::grad({scores.sum()}, {input}, {}, true, true)[0];
  return scores.square().mean() + (slope.flatten(1).norm(2, 1) - 1).square().mean();
}

torch::nn::Sequential small_critic() {
  torch::nn::Sequential net(torch::nn::Linear(3, 5), torch::nn::BatchNorm1d(5), torch::nn::Tanh(),
                            torch::nn::BatchNorm1d(torch::nn::BatchNormOptions(5).affine(false)),
                            torch::nn::Linear(5, 1));
  net->to(torch::kDouble);
  return net;
}

void copy_parameters(const torch::nn::Module& from, const torch::nn::Module& to) {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < from.parameters().size(); ++i) {
    to.parameters()[i].copy_(from.parameters()[i]);
  }
}

void expect_equal_gradients(const torch::nn::Module& net, const torch::nn::Module& alone) {
  for (const auto& item : net.named_parameters()) {
    const torch::Tensor expected = alone.named_parameters()[item.key()].grad();
    EXPECT_TRUE(torch::allclose(item.value().grad(), expected, 1e-9, 1e-12))
        << item.key() << ": " << item.value().grad() << "\nis not\n"
        << expected;
  }
}

TEST(SyncBatchNorm, HasSecondDerivatives) {
  for (const int ranks : {1, 2, 3}) {
    run_world(ranks, [](World& world) {
      torch::nn::Sequential net = small_critic();
      torch::nn::Sequential alone = small_critic();
      convert_sync_batchnorm(*net, world);
      DistributedDataParallel model(net, world, {.buffers = BufferSync::kNone});
      copy_parameters(*net, *alone);
      torch::manual_seed(7);
      const torch::Tensor whole = torch::randn({4 * world.size(), 3}, torch::kDouble);
      penalized([&](const torch::Tensor& x) { return alone->forward(x); }, whole).backward();
      penalized([&](const torch::Tensor& x) { return model(x); }, whole.narrow(0, 4 * world.rank(), 4))
          .backward();
      expect_equal_gradients(*net, *alone);
    }).expect_all_ok();
  }
}

TEST(SyncBatchNorm, WeighsRanksAsTheirGradientsAreWeighed) {
  run_world(3, [](World& world) {
    torch::nn::Sequential net = small_critic();
    torch::nn::Sequential alone = small_critic();
    convert_sync_batchnorm(*net, world);
    DistributedDataParallel model(net, world, {.divisor = Divisor::kSamples, .buffers = BufferSync::kNone});
    copy_parameters(*net, *alone);
    torch::manual_seed(7);
    const int first[] = {0, 2, 5};
    const int count[] = {2, 3, 5};
    for (const bool with_penalty : {false, true}) {
      const torch::Tensor whole = torch::randn({10, 3}, torch::kDouble);
      const auto loss = [&](const auto& score, const torch::Tensor& x) {
        return with_penalty ? penalized(score, x) : (score(x) - x.sum(1, true)).square().mean();
      };
      alone->zero_grad();
      net->zero_grad();
      loss([&](const torch::Tensor& x) { return alone->forward(x); }, whole).backward();
      model.set_samples(count[world.rank()]);
      loss([&](const torch::Tensor& x) { return model(x); },
           whole.narrow(0, first[world.rank()], count[world.rank()]))
          .backward();
      expect_equal_gradients(*net, *alone);
    }
  }).expect_all_ok();
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator folder("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

TEST(SyncBatchNorm, KeepsNothingOfALayerThatIsGone) {
  run_world(2, [](World& world) {
    const std::size_t before = open_descriptors();
    for (int i = 0; i < 20; ++i) {
      Normalized net;
      EXPECT_EQ(convert_sync_batchnorm(*net, world), 3);
      DistributedDataParallel model(net, world);
      model(torch::randn({4, 2, 6, 6})).square().sum().backward();
    }
    world.communicator().barrier();
    EXPECT_EQ(open_descriptors(), before);
  }).expect_all_ok();
}

TEST(SyncBatchNorm, KeepsItsRanksUntilTheGraphIsGone) {
  run_world(2, [](World& world) {
    Normalized net;
    convert_sync_batchnorm(*net, world);
    DistributedDataParallel model(net, world);
    const torch::Tensor loss = model(torch::randn({4, 2, 6, 6})).square().sum();
    EXPECT_EQ(convert_sync_batchnorm(*net, world), 0);
    loss.backward();
    EXPECT_TRUE(same_on_all_ranks(world, net->conv->weight.grad()));
  }).expect_all_ok();
}

TEST(SyncBatchNorm, StepsInFromTheFirstConversionOn) {
  run_world(2, [](World& world) {
    const auto has_kernel = [] {
      return c10::Dispatcher::singleton()
          .findSchemaOrThrow("aten::batch_norm", "")
          .hasKernelForDispatchKey(c10::DispatchKey::AutogradCPU);
    };
    EXPECT_FALSE(has_kernel());
    Normalized net;
    convert_sync_batchnorm(*net, world);
    EXPECT_TRUE(has_kernel());
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
