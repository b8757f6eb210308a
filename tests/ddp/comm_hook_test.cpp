// Other ways to average than an all-reduce of everything: hooks, sparse gradients; and clipping what comes out.

#include <gmock/gmock.h>

#include "ddp/ddp_ranks.h"

namespace lockstep::testing {
namespace {

torch::nn::Sequential small_net() {
  return torch::nn::Sequential(torch::nn::Linear(16, 32), torch::nn::Tanh(), torch::nn::Linear(32, 4));
}

// The gradients of three steps with a hook, one after the other.
std::vector<torch::Tensor> gradients_with(World& world, std::shared_ptr<CommHook> hook, int steps = 3) {
  torch::manual_seed(5);
  auto net = small_net();
  DistributedDataParallel model(net, world, {.bucket_caps = {256}, .comm_hook = std::move(hook)});
  torch::manual_seed(11 + world.rank());
  std::vector<torch::Tensor> gradients;
  for (int step = 0; step < steps; ++step) {
    net->zero_grad();
    model(torch::randn({8, 16})).square().mean().backward();
    for (const auto& parameter : net->parameters()) {
      EXPECT_TRUE(same_on_all_ranks(world, parameter.grad()));
      gradients.push_back(parameter.grad().clone());
    }
  }
  return gradients;
}

TEST(CommHook, AllReduceGivesTheSameBitsAsNone) {
  run_world(3, [](World& world) {
    const auto plain = gradients_with(world, nullptr);
    const auto hooked = gradients_with(world, all_reduce_hook());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_TRUE(torch::equal(plain[i], hooked[i]));
    }
  }).expect_all_ok();
}

TEST(CommHook, CompressionKeepsTheFirstDigits) {
  run_world(2, [](World& world) {
    const auto plain = gradients_with(world, nullptr);
    const auto bf16 = gradients_with(world, bf16_compression());
    const auto fp16 = gradients_with(world, fp16_compression());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_TRUE(torch::allclose(plain[i], bf16[i], 2e-2, 1e-3));
      EXPECT_TRUE(torch::allclose(plain[i], fp16[i], 2e-3, 1e-5));
      EXPECT_FALSE(torch::equal(plain[i], bf16[i]));
    }
  }).expect_all_ok();
}

TEST(PowerSgd, IsExactWhenItsRankIsThatOfTheMatrix) {
  run_world(2, [](World& world) {
    const auto plain = gradients_with(world, nullptr, 6);
    const auto low =
        gradients_with(world, power_sgd({.rank = 32, .start_step = 2, .min_compression_rate = 1e-6}), 6);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_TRUE(torch::allclose(plain[i], low[i], 1e-3, 1e-5)) << i;
    }
  }).expect_all_ok();
}

TEST(PowerSgd, MakesUpForWhatItLeftOut) {
  run_world(2, [](World& world) {
    // The same gradient in every step: with error feedback the sum of what came out approaches the sum of what went
    // in; without, the part that one rank cannot express is lost for good.
    double distance[2];
    for (const bool feedback : {false, true}) {
      torch::manual_seed(5);
      torch::nn::Linear net(torch::nn::LinearOptions(16, 16).bias(false));
      DistributedDataParallel model(
          net, world, {.comm_hook = power_sgd({.rank = 1, .start_step = 2, .error_feedback = feedback})});
      torch::manual_seed(3);
      const torch::Tensor direction = torch::randn({16, 16});
      torch::Tensor sum = torch::zeros({16, 16});
      const int steps = 200;
      for (int step = 0; step < steps; ++step) {
        net->zero_grad();
        (net->weight * direction).sum().backward();
        model.describe();
        sum += net->weight.grad();
      }
      distance[feedback ? 1 : 0] = ((sum / steps - direction).norm() / direction.norm()).item<double>();
    }
    EXPECT_GT(distance[0], 0.5);
    EXPECT_LT(distance[1], 0.15);
  }).expect_all_ok();
}

TEST(PowerSgd, RefusesOptionsThatCannotWork) {
  EXPECT_THROW(power_sgd({.rank = 0}), Error);
  EXPECT_THROW(power_sgd({.start_step = 1}), Error);
}

// Counts what goes by, and sends it.
class CountingHook final : public CommHook {
 public:
  std::string_view name() const override { return "counting"; }
  std::unique_ptr<BucketWork> start(const TensorBucket& bucket, Communicator& communicator) override {
    EXPECT_EQ(bucket.gradients.size(), bucket.names.size());
    std::int64_t elements = 0;
    for (const torch::Tensor& gradient : bucket.gradients) {
      elements += gradient.numel();
    }
    EXPECT_LE(elements, bucket.flat.numel());
    seen.insert(seen.end(), bucket.names.begin(), bucket.names.end());
    lasts += bucket.last ? 1 : 0;
    return reduce_in_stages(
        {[&bucket, &communicator] {
          return communicator.start_all_reduce(buffer_of(bucket.flat), ReduceOp::kSum,
                                               {.label = bucket.label});
        }},
        [flat = bucket.flat, ranks = communicator.size()] { torch::Tensor(flat).div_(ranks); });
  }

  std::vector<std::string> seen;
  int lasts = 0;
};

TEST(CommHook, OfTheUserSeesEveryBucketOnce) {
  run_world(2, [](World& world) {
    const auto hook = std::make_shared<CountingHook>();
    const auto plain = gradients_with(world, nullptr);
    const auto hooked = gradients_with(world, hook);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_CLOSE(plain[i], hooked[i]);
    }
    EXPECT_EQ(hook->lasts, 3);
    EXPECT_EQ(hook->seen.size(), 3U * 4U);
    EXPECT_THAT(std::vector<std::string>(hook->seen.begin(), hook->seen.begin() + 4),
                ::testing::UnorderedElementsAre("0.weight", "0.bias", "2.weight", "2.bias"));
  }).expect_all_ok();
}

class Throwing final : public CommHook {
 public:
  std::string_view name() const override { return "throwing"; }
  std::unique_ptr<BucketWork> start(const TensorBucket& bucket, Communicator& communicator) override {
    if (++calls_ == 6 && communicator.rank() == 1) {
      throw std::runtime_error("out of ideas");
    }
    return all_->start(bucket, communicator);
  }

 private:
  std::shared_ptr<CommHook> all_ = all_reduce_hook();
  int calls_ = 0;
};

TEST(CommHook, ThatThrowsOnOneRankEndsBackwardOnAll) {
  const auto results =
      run_world(3, [](World& world) { gradients_with(world, std::make_shared<Throwing>()); });
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kAborted);
    EXPECT_THAT(result.exception_text,
                ::testing::HasSubstr("the reduction 'throwing' failed on rank 1: out of ideas"));
    EXPECT_THAT(result.exception_text, ::testing::HasSubstr(".weight"));
  }
}

struct WordsImpl : torch::nn::Module {
  WordsImpl() {
    table = register_module("table", torch::nn::Embedding(torch::nn::EmbeddingOptions(20, 3).sparse(true)));
    output = register_module("output", torch::nn::Linear(3, 2));
  }
  torch::Tensor forward(const torch::Tensor& ids) {
    return ids.numel() == 0 ? output(torch::ones({1, 3})) : output(table(ids));
  }
  torch::nn::Embedding table{nullptr};
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Words);

TEST(SparseGradients, AreAveragedAsSparseOnes) {
  run_world(3, [](World& world) {
    Words net;
    DistributedDataParallel model(net, world);
    for (int step = 0; step < 4; ++step) {
      net->zero_grad();
      // Rank 2 has no word in every other step; words repeat within a rank and between ranks.
      const torch::Tensor ids = world.rank() == 2 && step % 2 == 0
                                    ? torch::empty({0}, torch::kLong)
                                    : torch::tensor({1, 5, 5, 7 + world.rank() + step});
      const torch::Tensor table = net->table->weight.detach().clone().requires_grad_();
      torch::Tensor local = torch::zeros_like(table);
      if (ids.numel() > 0) {
        torch::nn::functional::linear(torch::embedding(table, ids), net->output->weight.detach(),
                                      net->output->bias.detach())
            .square()
            .sum()
            .backward();
        local = table.grad();
      }
      model(ids).square().sum().backward();
      const torch::Tensor gradient = net->table->weight.grad();
      ASSERT_TRUE(gradient.is_sparse());
      EXPECT_CLOSE(gradient.to_dense(), mean_over_ranks(world, local));
      EXPECT_TRUE(same_on_all_ranks(world, gradient.to_dense()));
      EXPECT_TRUE(same_on_all_ranks(world, net->output->weight.grad()));
    }
  }).expect_all_ok();
}

TEST(SparseGradients, ThatNoRankHasLeaveTheOldOneUntouched) {
  run_world(2, [](World& world) {
    Words net;
    DistributedDataParallel model(net, world);
    const torch::Tensor none = torch::empty({0}, torch::kLong);
    model(none).sum().backward();
    EXPECT_FALSE(net->table->weight.grad().defined());
    model(torch::tensor({world.rank()})).sum().backward();
    const torch::Tensor before = net->table->weight.grad().to_dense();
    model(none).sum().backward();
    EXPECT_TRUE(torch::equal(net->table->weight.grad().to_dense(), before));
  }).expect_all_ok();
}

TEST(ClipGradNorm, LimitsTheNormTheSameOnAllRanks) {
  run_world(2, [](World& world) {
    auto net = small_net();
    DistributedDataParallel model(net, world, {.bucket_caps = {512}});
    model(torch::randn({8, 16}) * 100).square().mean().backward();
    std::vector<torch::Tensor> before;
    for (const auto& parameter : net->parameters()) {
      before.push_back(parameter.grad().clone());
    }
    const double expected =
        torch::cat({before[0].flatten(), before[1], before[2].flatten(), before[3]}).norm().item<double>();
    const double norm = model.clip_grad_norm_(1.0);
    EXPECT_NEAR(norm, expected, 1e-4 * expected);
    double sum = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const torch::Tensor gradient = net->parameters()[i].grad();
      EXPECT_CLOSE(gradient, before[i] / norm);
      EXPECT_TRUE(same_on_all_ranks(world, gradient));
      sum += gradient.square().sum().item<double>();
    }
    EXPECT_NEAR(std::sqrt(sum), 1.0, 1e-4);
    EXPECT_NEAR(model.clip_grad_norm_(5.0), 1.0, 1e-4) << "small enough: unchanged";
    EXPECT_NEAR(model.clip_grad_norm_(5.0, std::numeric_limits<double>::infinity()),
                net->parameters()[0].grad().abs().max().item<double>(), 0.5);
    net->parameters()[1].grad().fill_(std::numeric_limits<float>::infinity());
    EXPECT_THROW(model.clip_grad_norm_(1.0, 2.0, /*error_if_nonfinite=*/true), Error);
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
