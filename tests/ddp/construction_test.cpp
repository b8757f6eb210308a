// What wrapping a module does, and what it refuses.

#include <gmock/gmock.h>

#include <functional>
#include <sstream>

#include "ddp/ddp_ranks.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

struct NetImpl : torch::nn::Module {
  explicit NetImpl(std::int64_t width = 4, bool bias = true) {
    first = register_module("first", torch::nn::Linear(torch::nn::LinearOptions(3, width).bias(bias)));
    norm = register_module("norm", torch::nn::BatchNorm1d(width));
  }
  torch::Tensor forward(const torch::Tensor& x) { return norm(first(x)); }
  torch::nn::Linear first{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
};
TORCH_MODULE(Net);

void expect_everywhere(const RankResults& results, ErrorCode code, const std::vector<std::string>& texts) {
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), code);
    for (const std::string& text : texts) {
      EXPECT_THAT(result.exception_text, HasSubstr(text));
    }
  }
}

TEST(Construction, GivesAllRanksTheStateOfRankZero) {
  run_world(3, [](World& world) {
    Net net;
    net->norm->running_mean.fill_(world.rank() + 1);
    const torch::Tensor before = net->first->weight.clone();
    DistributedDataParallel model(net, world);
    for (const auto& parameter : model.parameters()) {
      EXPECT_TRUE(same_on_all_ranks(world, parameter));
    }
    EXPECT_TRUE(torch::equal(net->norm->running_mean, torch::ones({4})));
    EXPECT_EQ(torch::equal(before, net->first->weight), world.rank() == 0);
  }).expect_all_ok();
}

TEST(Construction, KeepsTheNamesOfTheModule) {
  run_world(2, [](World& world) {
    Net net;
    DistributedDataParallel model(net, world);
    EXPECT_EQ(model.named_parameters().keys(),
              (std::vector<std::string>{"first.weight", "first.bias", "norm.weight", "norm.bias"}));
    EXPECT_EQ(model.named_buffers().keys(), (std::vector<std::string>{"norm.running_mean", "norm.running_var",
                                                                      "norm.num_batches_tracked"}));
  }).expect_all_ok();
}

TEST(Construction, ShowsTheFirstDifferenceOfShapes) {
  const auto results = run_world(3, [](World& world) {
    Net net(world.rank() == 2 ? 5 : 4);
    DistributedDataParallel model(net, world);
  });
  expect_everywhere(results, ErrorCode::kMismatch,
                    {"parameter 'first.weight' [4, 3]", "parameter 'first.weight' [5, 3]"});
}

TEST(Construction, ShowsADifferenceInNumbersOfParameters) {
  const auto results = run_world(2, [](World& world) {
    Net net(4, /*bias=*/world.rank() == 0);
    DistributedDataParallel model(net, world);
  });
  expect_everywhere(results, ErrorCode::kMismatch, {"'first.bias'", "'norm.weight'"});
}

struct OddImpl : torch::nn::Module {
  explicit OddImpl(const torch::Tensor& tensor, bool trained = true) {
    register_module("plain", torch::nn::Linear(2, 2));
    odd = register_parameter("odd", tensor, trained);
  }
  torch::Tensor forward(const torch::Tensor& x) { return x; }
  torch::Tensor odd;
};
TORCH_MODULE(Odd);

TEST(Construction, NamesAParameterThatItRefuses) {
  const std::vector<std::pair<std::function<torch::Tensor()>, std::string>> cases = {
      {[] {
         return torch::ones({3, 1}).expand({3, 4});
       },
       "parameter 'odd' is expanded: its 12 elements share memory (strides [1, 0]). clone() it"},
      {[] { return torch::eye(3).to_sparse(); }, "parameter 'odd' has the layout Sparse: only dense tensors"},
      {[] { return torch::ones({3}).to(torch::kFloat8_e4m3fn); },
       "parameter 'odd' is Float8_e4m3fn, which cannot be averaged"}};
  for (const auto& [make, text] : cases) {
    const auto results = run_world(2, [make = make](World& world) {
      Odd net(make());
      DistributedDataParallel model(net, world);
    });
    expect_everywhere(results, ErrorCode::kUnsupported, {text});
  }
}

TEST(Construction, NamesAnOptionInWhichRanksDiffer) {
  const auto wrap = [](const std::function<DdpOptions(int)>& options) {
    return run_world(2, [options](World& world) {
      Net net;
      DistributedDataParallel model(net, world, options(world.rank()));
    });
  };
  expect_everywhere(
      wrap([](int rank) { return rank == 0 ? DdpOptions{} : DdpOptions{.comm_hook = bf16_compression()}; }),
      ErrorCode::kMismatch, {"option of DdpOptions", "comm_hook none", "comm_hook bf16"});
  expect_everywhere(wrap([](int rank) { return DdpOptions{.full_gradients = rank == 0}; }),
                    ErrorCode::kMismatch, {"full_gradients true", "full_gradients false"});
  expect_everywhere(wrap([](int rank) {
                      return DdpOptions{.buffers = rank == 0 ? BufferSync::kNone : BufferSync::kAverage};
                    }),
                    ErrorCode::kMismatch, {"buffers none", "buffers average"});
}

TEST(Construction, ShowsDifferencesInTypesAndWhatIsTrained) {
  expect_everywhere(run_world(2,
                              [](World& world) {
                                Net net;
                                net->to(world.rank() == 0 ? torch::kFloat : torch::kDouble);
                                DistributedDataParallel model(net, world);
                              }),
                    ErrorCode::kMismatch, {"Float", "Double"});
  expect_everywhere(run_world(2,
                              [](World& world) {
                                Net net;
                                net->first->weight.requires_grad_(world.rank() == 0);
                                DistributedDataParallel model(net, world);
                              }),
                    ErrorCode::kMismatch, {"'first.weight'"});
}

TEST(Construction, RefusesAModuleWithNothingToTrain) {
  expect_everywhere(run_world(2,
                              [](World& world) {
                                torch::nn::Linear net(2, 2);
                                net->weight.requires_grad_(false);
                                net->bias.requires_grad_(false);
                                DistributedDataParallel model(net, world);
                              }),
                    ErrorCode::kInvalidArgument, {"no parameter of the module requires a gradient"});
}

// Input and output share their weights, as embeddings and the layer that predicts words do.
struct TiedImpl : torch::nn::Module {
  TiedImpl() {
    table = register_parameter("table", torch::randn({6, 4}));
    output = register_parameter("output", table);
    frozen = register_parameter("frozen", torch::ones({4}), /*requires_grad=*/false);
  }
  torch::Tensor forward(const torch::Tensor& ids) {
    return torch::matmul(torch::embedding(table, ids) * frozen, output.t());
  }
  torch::Tensor table, output, frozen;
};
TORCH_MODULE(Tied);

TEST(Construction, SkipsFrozenParametersAndCountsSharedOnesOnce) {
  run_world(2, [](World& world) {
    Tied net;
    DistributedDataParallel model(net, world);
    EXPECT_THAT(model.describe(), HasSubstr("     0  f32           1      128 B  table\n"));
    for (int step = 0; step < 3; ++step) {
      net->zero_grad();
      const torch::Tensor ids = torch::randint(6, {3});
      auto loss = [&](const torch::Tensor& table) {
        return torch::matmul(torch::embedding(table, ids), table.t()).square().sum();
      };
      const torch::Tensor copy = net->table.detach().clone().requires_grad_();
      loss(copy).backward();
      model(ids).square().sum().backward();
      EXPECT_CLOSE(net->table.grad(), mean_over_ranks(world, copy.grad()));
      EXPECT_FALSE(net->frozen.grad().defined());
    }
  }).expect_all_ok();
}

TEST(Construction, OfOneRankLeavesGradientsWhereAutogradPutThem) {
  run_world(1, [](World& world) {
    Net net;
    DistributedDataParallel model(net, world);
    model(torch::randn({5, 3})).square().sum().backward();
    EXPECT_TRUE(net->first->weight.grad().defined());
    EXPECT_EQ(model.stats().steps, 0U);
  }).expect_all_ok();
}

TEST(Wrapper, ForwardsAnyArgumentsAndReturnsWhatTheModuleDoes) {
  struct Wide : torch::nn::Module {
    Wide() { scale = register_parameter("scale", torch::ones({2})); }
    std::tuple<torch::Tensor, std::vector<torch::Tensor>> forward(const torch::Tensor& x, int times,
                                                                  double shift) {
      return {scale * x * times, {scale + shift}};
    }
    torch::Tensor scale;
  };
  run_world(2, [](World& world) {
    const auto net = std::make_shared<Wide>();
    DistributedDataParallel model(net, world);
    const auto [product, sums] = model(torch::ones({2}), 3, 0.5);
    EXPECT_TRUE(torch::equal(product, torch::full({2}, 3.0F)));
    EXPECT_TRUE(torch::equal(sums[0], torch::full({2}, 1.5F)));
    (product.sum() + sums[0].sum()).backward();
    EXPECT_TRUE(torch::equal(net->scale.grad(), torch::full({2}, 4.0F)));
  }).expect_all_ok();
}

TEST(Wrapper, ReturnsTensorsThatNeedNoGradient) {
  struct Counting : torch::nn::Module {
    Counting() { scale = register_parameter("scale", torch::ones({2})); }
    std::pair<torch::Tensor, torch::Tensor> forward(const torch::Tensor& x) {
      return {scale * x, torch::tensor(x.numel())};
    }
    torch::Tensor scale;
  };
  run_world(2, [](World& world) {
    const auto net = std::make_shared<Counting>();
    DistributedDataParallel model(net, world);
    for (int step = 0; step < 3; ++step) {
      const auto [product, count] = model(torch::ones({2}));
      EXPECT_EQ(count.item<std::int64_t>(), 2);
      net->zero_grad();
      product.sum().backward();
      EXPECT_TRUE(torch::equal(net->scale.grad(), torch::ones({2})));
    }
  }).expect_all_ok();
}

TEST(Wrapper, EvaluatesWithoutTheOtherRanks) {
  run_world(2, [](World& world) {
    Net net;
    DistributedDataParallel model(net, world);
    model(torch::randn({5, 3})).sum().backward();
    if (world.rank() == 0) {  // would wait for the other rank if it communicated
      const torch::NoGradGuard no_grad;
      net->eval();
      EXPECT_EQ(model(torch::randn({5, 3})).size(0), 5);
      net->train();
    }
    model(torch::randn({5, 3})).sum().backward();
    EXPECT_TRUE(same_on_all_ranks(world, net->first->weight.grad()));
  }).expect_all_ok();
}

void expect_refused_forward(const std::function<void(Net&)>& change, const std::string& text) {
  const auto results = run_world(2, [&](World& world) {
    Net net;
    net->first->bias.requires_grad_(false);
    DistributedDataParallel model(net, world);
    model(torch::randn({5, 3})).sum().backward();
    change(net);
    model(torch::randn({5, 3}));
  });
  expect_everywhere(results, ErrorCode::kInvalidArgument, {text, "Change the module first, then wrap it"});
}

TEST(Wrapper, NoticesThatTheModuleHasChanged) {
  expect_refused_forward([](Net& net) { net->first->register_parameter("extra", torch::ones({1})); },
                         "the module has 5 parameters, and had 4 when it was wrapped");
  expect_refused_forward([](Net& net) { net->to(torch::kDouble); },
                         "parameter 'first.weight' has changed its type");
  expect_refused_forward([](Net& net) { net->first->bias.requires_grad_(true); },
                         "parameter 'first.bias' was frozen and is trained now");
}

// torch::load() drops the gradient accumulators of the parameters, hooks and all.
TEST(Wrapper, AveragesGradientsOfWeightsThatWereLoadedLater) {
  run_world(2, [](World& world) {
    torch::nn::Linear net(3, 4);
    DistributedDataParallel model(net, world);
    for (int round = 0; round < 3; ++round) {
      std::stringstream file;
      torch::save(net, file);
      torch::load(net, file);
      const torch::Tensor x = torch::randn({5, 3});
      net->zero_grad();
      model(x).sum().backward();
      EXPECT_CLOSE(net->weight.grad()[0], mean_over_ranks(world, x.sum(0)));
      EXPECT_TRUE(same_on_all_ranks(world, net->weight.grad()));
    }
  }).expect_all_ok();
}

TEST(Stats, TellWhereTheTimeOfAStepGoes) {
  run_world(2, [](World& world) {
    torch::nn::Sequential net(torch::nn::Linear(64, 64), torch::nn::Linear(64, 64));
    DistributedDataParallel model(net, world, {.bucket_caps = {1024}});
    for (int step = 0; step < 3; ++step) {
      model(torch::randn({5, 64})).sum().backward();
    }
    const DdpStats stats = model.stats();
    EXPECT_EQ(stats.steps, 3U);
    EXPECT_GT(stats.last.forward.count(), 0);
    EXPECT_GT(stats.last.backward.count(), 0);
    EXPECT_GE(stats.last.bytes, 2U * (64 * 64 + 64) * 4);
    EXPECT_EQ(stats.last.buckets, 2U);
    EXPECT_GT((stats.mean.communication_hidden + stats.mean.communication_exposed).count(), 0);
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
