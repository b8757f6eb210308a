// What users of libtorch expect of a module, of the one that is wrapped; and replicas that are none any more.

#include <gmock/gmock.h>
#include <torch/csrc/jit/api/module.h>

#include <sstream>

#include "ddp/ddp_ranks.h"
#include "lockstep/error.h"
#include "lockstep/script_module.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

struct TwoLayersImpl : torch::nn::Module {
  TwoLayersImpl() {
    first = register_module("first", torch::nn::Linear(3, 4));
    drop = register_module("drop", torch::nn::Dropout(0.5));
    scale = register_parameter("scale", torch::ones({4}));
    counter = register_buffer("counter", torch::zeros({}, torch::kLong));
  }
  torch::Tensor forward(const torch::Tensor& x) { return drop(first(x)) * scale; }
  torch::nn::Linear first{nullptr};
  torch::nn::Dropout drop{nullptr};
  torch::Tensor scale;
  torch::Tensor counter;
};
TORCH_MODULE(TwoLayers);

struct Outer : torch::nn::Module {};

TEST(ReplicaModule, GivesAccessToTheWrappedModule) {
  run_world(2, [](World& world) {
    TwoLayers net;
    DistributedDataParallel model(net, world);
    EXPECT_TRUE(model->first->weight.is_same(net->first->weight));
    const auto& unchanging = model;
    EXPECT_TRUE(unchanging->scale.is_same(net->scale));
    const auto alone = std::make_shared<TwoLayersImpl>();
    DistributedDataParallel pointed(alone, world);
    EXPECT_TRUE(pointed->scale.is_same(alone->scale));
  }).expect_all_ok();
}

// As users of a TORCH_MODULE write it.
TEST(ReplicaModule, AveragesWhatTheWrappedModuleComputes) {
  run_world(2, [](World& world) {
    TwoLayers net;
    DistributedDataParallel model(net, world);
    model->forward(torch::randn({2, 3})).sum().backward();
    EXPECT_TRUE(same_on_all_ranks(world, net->scale.grad()));
    EXPECT_TRUE(same_on_all_ranks(world, net->first->weight.grad()));
  }).expect_all_ok();
}

TEST(ReplicaModule, SwitchesTheModuleBetweenTrainingAndEvaluation) {
  run_world(2, [](World& world) {
    TwoLayers net;
    DistributedDataParallel model(net, world);
    model.eval();
    EXPECT_FALSE(net->is_training());
    EXPECT_FALSE(net->drop->is_training());
    EXPECT_FALSE(model.is_training());
    model.train();
    EXPECT_TRUE(net->is_training());
    EXPECT_TRUE(net->drop->is_training());
    EXPECT_TRUE(model.is_training());
  }).expect_all_ok();
}

TEST(ReplicaModule, ClearsGradients) {
  run_world(2, [](World& world) {
    TwoLayers net;
    DistributedDataParallel model(net, world);
    model(torch::randn({2, 3})).sum().backward();
    EXPECT_TRUE(net->scale.grad().defined());
    model.zero_grad();
    EXPECT_FALSE(net->scale.grad().defined());
    EXPECT_FALSE(net->first->weight.grad().defined());
  }).expect_all_ok();
}

TEST(ReplicaModule, StaysWhatItWasWhenItWasWrapped) {
  run_world(2, [](World& world) {
    TwoLayers net;
    DistributedDataParallel model(net, world);
    model.to(torch::kFloat);
    model.to(torch::kCPU);
    model.to(torch::kCPU, torch::kFloat);
    try {
      model.to(torch::kDouble);
      ADD_FAILURE() << "its gradients are averaged as float";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("is Float on cpu and would change"));
      EXPECT_THAT(error.what(), HasSubstr("Call to() on the module first, then wrap it"));
    }
  }).expect_all_ok();
}

TEST(ReplicaModule, NestsInAnotherModuleUnderItsOwnNames) {
  run_world(2, [](World& world) {
    TwoLayers net;
    auto model = std::make_shared<DistributedDataParallel<TwoLayers>>(net, world);
    auto outer = std::make_shared<Outer>();
    outer->register_module("model", model);
    EXPECT_EQ(outer->named_parameters().keys(),
              (std::vector<std::string>{"model.scale", "model.first.weight", "model.first.bias"}));
    EXPECT_EQ(outer->named_buffers().keys(), (std::vector<std::string>{"model.counter"}));
    EXPECT_TRUE(outer->named_parameters()["model.scale"].is_same(net->scale));
    outer->eval();
    EXPECT_FALSE(net->is_training());
    EXPECT_FALSE(net->drop->is_training());
    (*model)(torch::randn({2, 3})).sum().backward();
    EXPECT_TRUE(same_on_all_ranks(world, net->scale.grad()));
    outer->zero_grad();
    EXPECT_FALSE(net->scale.grad().defined());
    std::ostringstream text;
    text << *outer;
    EXPECT_THAT(text.str(), HasSubstr("(first): torch::nn::Linear"));
  }).expect_all_ok();
}

TEST(ReplicaModule, CanBeReplacedByAnother) {
  run_world(2, [](World& world) {
    TwoLayers first;
    TwoLayers second;
    DistributedDataParallel model(first, world);
    model = DistributedDataParallel(second, world);
    model.eval();
    EXPECT_TRUE(first->is_training());
    EXPECT_FALSE(second->drop->is_training());
    EXPECT_TRUE(model->scale.is_same(second->scale));
    model(torch::randn({2, 3})).sum().backward();
    EXPECT_TRUE(same_on_all_ranks(world, second->scale.grad()));
    EXPECT_FALSE(first->scale.grad().defined());
  }).expect_all_ok();
}

TEST(ReplicaModule, KeepsFrozenParametersFrozen) {
  run_world(2, [](World& world) {
    TwoLayers net;
    net->scale.requires_grad_(false);
    DistributedDataParallel model(net, world);
    EXPECT_FALSE(net->scale.requires_grad());
  }).expect_all_ok();
}

TEST(ReplicaModule, WrapsASequential) {
  run_world(2, [](World& world) {
    torch::nn::Sequential net(torch::nn::Linear(3, 4), torch::nn::ReLU(), torch::nn::Linear(4, 1));
    DistributedDataParallel model(net, world);
    model(torch::randn({2, 3})).sum().backward();
    for (const torch::Tensor& parameter : model.parameters()) {
      EXPECT_TRUE(same_on_all_ranks(world, parameter.grad()));
    }
  }).expect_all_ok();
}

// A module in a module, as torch::jit::load() gives them.
torch::jit::Module make_script() {
  torch::jit::Module inner("Inner");
  inner.register_parameter("weight", torch::randn({3, 2}).requires_grad_(), false);
  inner.register_buffer("offset", torch::ones({2}));
  inner.define("def forward(self, x):\n    return torch.matmul(x, self.weight) + self.offset\n");
  torch::jit::Module script("Script");
  script.register_parameter("scale", torch::randn({2}).requires_grad_(), false);
  script.register_module("inner", inner);
  script.register_attribute("training", c10::BoolType::get(), true);
  script.define("def forward(self, x):\n    y = self.inner.forward(x)\n    return y * self.scale, [y]\n");
  return script;
}

TEST(ScriptModule, TrainsLikeAnyOther) {
  run_world(2, [](World& world) {
    const auto net = std::make_shared<ScriptModule>(make_script());
    DistributedDataParallel model(net, world);
    EXPECT_EQ(model.named_parameters().keys(), (std::vector<std::string>{"scale", "inner.weight"}));
    EXPECT_EQ(model.named_buffers().keys(), (std::vector<std::string>{"inner.offset"}));
    const torch::Tensor x = torch::randn({4, 3});
    const c10::IValue output = model(x);
    output.toTupleRef().elements()[0].toTensor().square().mean().backward();
    const torch::Tensor weight = net->script().attr("inner").toModule().attr("weight").toTensor();
    ASSERT_TRUE(weight.grad().defined());
    torch::Tensor own = weight.detach().clone().requires_grad_();
    const torch::Tensor scale = net->script().attr("scale").toTensor().detach();
    ((torch::matmul(x, own) + 1) * scale).square().mean().backward();
    EXPECT_CLOSE(weight.grad(), mean_over_ranks(world, own.grad()));
    model.eval();
    EXPECT_FALSE(net->script().is_training());
  }).expect_all_ok();
}

TEST(CheckReplicas, NamesTheFirstParameterThatDiffersAndTheRanks) {
  const auto results = run_world(3, [](World& world) {
    TwoLayers net;
    DistributedDataParallel model(net, world);
    model.check_replicas();
    if (world.rank() == 1) {
      const torch::NoGradGuard no_grad;
      net->first->weight[0][0] += 1;
      net->first->bias[0] += 1;
    }
    model.check_replicas();
  });
  for (const RankResult& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
    EXPECT_THAT(
        result.error->what(),
        HasSubstr("the replicas differ in 2 of 3 parameters, first in 'first.weight': ranks 0, 2 hold one "
                  "value, rank 1 another. A rank that skips optimizer.step()"));
  }
}

TEST(CheckReplicas, FindsARankThatSkippedItsStep) {
  const auto results = run_world(2, [](World& world) {
    TwoLayers net;
    DistributedDataParallel model(net, world);
    torch::optim::SGD optimizer(model.parameters(), 0.1);
    model(torch::ones({2, 3})).sum().backward();
    if (world.rank() == 0) {
      optimizer.step();
    }
    model.check_replicas();
  });
  for (const RankResult& result : results) {
    EXPECT_THAT(result.exception_text, HasSubstr("rank 0 holds one value, rank 1 another"));
  }
}

// What a debug build does when it destroys a model.
struct Examined : DistributedDataParallel<TwoLayers> {
  using DistributedDataParallel::check_replicas_at_end;
  using DistributedDataParallel::DistributedDataParallel;
};

TEST(CheckReplicas, LogsADifferenceAtTheEndAndThrowsNothing) {
  for (const bool differ : {false, true}) {
    const auto results = run_world(2, [differ](World& world) {
      TwoLayers net;
      const Examined model(net, world);
      if (differ && world.rank() == 1) {
        const torch::NoGradGuard no_grad;
        net->scale += 1;
      }
      model.check_replicas_at_end();
    });
    results.expect_all_ok();
    for (const RankResult& result : results) {
      const auto told = HasSubstr("the replicas differ in 1 of 3 parameters, first in 'scale'");
      EXPECT_EQ(::testing::Value(result.output, told), differ) << result.output;
    }
  }
}

}  // namespace
}  // namespace lockstep::testing
