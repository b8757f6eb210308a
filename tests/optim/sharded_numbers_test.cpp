// The numbers of sharded optimizers: those of libtorch's fused kernels over whole tensors, which is what Python's
// torch.optim computes with fused=True, bit for bit and on any number of ranks.

#include <ATen/ops/_fused_adagrad.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ddp/host_ranks.h"
#include "lockstep/sharded_optimizer.h"
#include "optim/odd_net.h"

namespace lockstep::testing {
namespace {

using torch::optim::AdagradOptions;
using torch::optim::AdamOptions;
using torch::optim::AdamWOptions;
using torch::optim::SGDOptions;

constexpr int kSteps = 8;

// Parameters, averaged gradients and states as lists of whole tensors: what kernels take.
struct Whole {
  std::vector<torch::Tensor> parameters;
  std::vector<torch::Tensor> gradients;
  std::vector<std::vector<torch::Tensor>> states;
  std::vector<torch::Tensor> steps;
  bool first = true;
};

struct Case {
  std::string name;
  std::vector<std::string> states;
  std::function<std::unique_ptr<optim::Sharded>(Replica&)> make;
  std::function<void(Whole&, double)> update;  // with a learning rate
  double initial_state = 0;
};

Case sgd_case(const std::string& name, const SGDOptions& options, bool maximize) {
  return {.name = name,
          .states = options.momentum() == 0 ? std::vector<std::string>()
                                            : std::vector<std::string>{"momentum_buffer"},
          .make =
              [=](Replica& model) {
                return std::make_unique<optim::ShardedSGD>(model, options,
                                                           optim::ShardOptions{.maximize = maximize});
              },
          .update =
              [=](Whole& w, double rate) {
                at::_fused_sgd_(w.parameters, w.gradients,
                                w.states.empty() ? std::vector<torch::Tensor>() : w.states[0],
                                options.weight_decay(), options.momentum(), rate, options.dampening(),
                                options.nesterov(), maximize, w.first);
              }};
}

template <class Optimizer, class Options, class Kernel>
Case adam_case(const std::string& name, const Options& options, bool maximize, Kernel kernel) {
  std::vector<std::string> states = {"exp_avg", "exp_avg_sq"};
  if (options.amsgrad()) {
    states.emplace_back("max_exp_avg_sq");
  }
  return {.name = name,
          .states = states,
          .make =
              [=](Replica& model) {
                return std::make_unique<Optimizer>(model, options, optim::ShardOptions{.maximize = maximize});
              },
          .update =
              [=](Whole& w, double rate) {
                const auto [beta1, beta2] = options.betas();
                kernel(w.parameters, w.gradients, w.states[0], w.states[1],
                       options.amsgrad() ? w.states[2] : std::vector<torch::Tensor>(), w.steps, rate, beta1,
                       beta2, options.weight_decay(), options.eps(), options.amsgrad(), maximize);
              }};
}

Case adagrad_case(const AdagradOptions& options) {
  return {.name = "adagrad",
          .states = {"sum"},
          .make = [=](Replica& model) { return std::make_unique<optim::ShardedAdagrad>(model, options); },
          .update =
              [=](Whole& w, double rate) {
                at::_fused_adagrad_(w.parameters, w.gradients, w.states[0], w.steps, rate, options.lr_decay(),
                                    options.weight_decay(), options.eps(), /*maximize=*/false);
              },
          .initial_state = options.initial_accumulator_value()};
}

std::vector<Case> cases() {
  const auto adam = [](auto&&... arguments) { at::_fused_adam_(arguments...); };
  const auto adamw = [](auto&&... arguments) { at::_fused_adamw_(arguments...); };
  return {
      sgd_case("plain sgd", SGDOptions(0.1).weight_decay(0.01), false),
      sgd_case("nesterov", SGDOptions(0.05).momentum(0.9).nesterov(true).weight_decay(0.01), false),
      sgd_case("damped and upwards", SGDOptions(0.05).momentum(0.8).dampening(0.3), true),
      adam_case<optim::ShardedAdam>("adam", AdamOptions(0.01).weight_decay(0.1), false, adam),
      adam_case<optim::ShardedAdam>("amsgrad", AdamOptions(0.01).amsgrad(true), false, adam),
      adam_case<optim::ShardedAdamW>("adamw", AdamWOptions(0.01).weight_decay(0.1).betas({0.8, 0.99}), false,
                                     adamw),
      adam_case<optim::ShardedAdamW>("amsgrad upwards", AdamWOptions(0.01).amsgrad(true), true, adamw),
      adagrad_case(AdagradOptions(0.05).lr_decay(0.01).initial_accumulator_value(0.1).weight_decay(0.01))};
}

Whole whole_of(const torch::nn::Module& module, const Case& chosen) {
  Whole whole{.parameters = {}, .gradients = {}, .states = {}, .steps = {}};
  for (const torch::Tensor& parameter : module.parameters()) {
    whole.parameters.push_back(parameter.detach());
    whole.steps.push_back(torch::zeros({}));
  }
  for (std::size_t i = 0; i < chosen.states.size(); ++i) {
    auto& states = whole.states.emplace_back();
    for (const torch::Tensor& parameter : whole.parameters) {
      states.push_back(torch::full_like(parameter, chosen.initial_state));
    }
  }
  return whole;
}

void update(Whole& whole, const torch::nn::Module& module, const Case& chosen, double rate) {
  const torch::NoGradGuard no_grad;
  whole.gradients.clear();
  for (const torch::Tensor& parameter : module.parameters()) {
    whole.gradients.push_back(parameter.grad());
  }
  for (torch::Tensor& step : whole.steps) {
    step.add_(1);
  }
  chosen.update(whole, rate);
  whole.first = false;
}

void expect_equal_state(const optim::State& state, const Whole& whole, const torch::nn::Module& module,
                        const Case& chosen) {
  const auto names = module.named_parameters().keys();
  const bool counted = chosen.name.find("sgd") == std::string::npos && !chosen.states.empty() &&
                       chosen.states[0] != "momentum_buffer";
  EXPECT_EQ(state.size(), names.size() * (chosen.states.size() + (counted ? 1 : 0)));
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t kind = 0; kind < chosen.states.size(); ++kind) {
      const std::string key = names[i] + "/" + chosen.states[kind];
      ASSERT_EQ(state.count(key), 1U) << key;
      EXPECT_TRUE(torch::equal(state.at(key), whole.states[kind][i])) << key;
    }
    if (counted) {
      EXPECT_EQ(state.at(names[i] + "/step").item<std::int64_t>(), kSteps);
      EXPECT_EQ(state.at(names[i] + "/step").scalar_type(), torch::kLong);
    }
  }
}

// Trains twice on the same data: with the sharded optimizer, and with whole averages and whole tensors on each rank.
void compare(World& world, const Case& chosen, torch::Dtype dtype = torch::kFloat) {
  SCOPED_TRACE(chosen.name + " in " + c10::toString(dtype));
  OddNet net;
  OddNet plain;
  net->to(dtype);
  plain->to(dtype);
  DistributedDataParallel model(net, world, small_buckets());
  DistributedDataParallel reference(plain, world, small_buckets());
  copy_parameters(*net, *plain);
  const auto optimizer = chosen.make(model);
  Whole whole = whole_of(*plain, chosen);
  for (int step = 0; step < kSteps; ++step) {
    const double rate = step < 4 ? 0.05 : 0.01;
    const torch::Tensor x = torch::randn({6, 7}, dtype);
    for (auto& group : optimizer->param_groups()) {
      group.options().set_lr(rate);
    }
    optimizer->zero_grad();
    plain->zero_grad();
    model(x).square().mean().backward();
    reference(x).square().mean().backward();
    optimizer->step();
    update(whole, *plain, chosen, rate);
    expect_equal_parameters(*net, *plain);
  }
  expect_equal_state(optimizer->full_state(), whole, *plain, chosen);
  for (const torch::Tensor& parameter : net->parameters()) {
    EXPECT_TRUE(same_on_all_ranks(world, parameter));
  }
}

class OnSeveralRanks : public ::testing::TestWithParam<int> {};

TEST_P(OnSeveralRanks, SlicesAreUpdatedLikeWholeTensors) {
  run_world(GetParam(), [](World& world) {
    for (const Case& chosen : cases()) {
      compare(world, chosen);
    }
    compare(world, cases()[5], torch::kDouble);
    compare(world, cases()[5], torch::kBFloat16);
  }).expect_all_ok();
}

INSTANTIATE_TEST_SUITE_P(ShardedNumbers, OnSeveralRanks, ::testing::Values(1, 2, 3, 4),
                         ::testing::PrintToStringParamName());

TEST(ShardedNumbers, AreTheSameOverGloo) {
  run_world_over("gloo", 3, [](World& world) {
    compare(world, cases()[1]);
    compare(world, cases()[5]);
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
