#include "lockstep/optimizer.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>

#include "lockstep/error.h"

namespace lockstep {
namespace {

// A few steps of `mine` and of libtorch's own `theirs`, on equal models with equal gradients, have to give equal bits.
template <class Make>
void expect_equal_training(const OptimizerOptions& options, Make make_theirs) {
  torch::manual_seed(1);
  torch::nn::Linear a(3, 2);
  torch::nn::Linear b(3, 2);
  {
    const torch::NoGradGuard no_gradients;
    b->weight.copy_(a->weight);
    b->bias.copy_(a->bias);
  }
  const auto mine = make_optimizer(options, *a);
  set_learning_rate(*mine, 0.1);
  auto theirs = make_theirs(b->parameters());
  const torch::Tensor x = torch::randn({4, 3});
  for (int step = 0; step < 3; ++step) {
    mine->zero_grad();
    theirs.zero_grad();
    a->forward(x).square().sum().backward();
    b->forward(x).square().sum().backward();
    mine->step();
    theirs.step();
  }
  EXPECT_TRUE(torch::equal(a->weight, b->weight));
  EXPECT_TRUE(torch::equal(a->bias, b->bias));
}

TEST(Optimizer, IsLibtorchsOwnByName) {
  expect_equal_training(
      {.weight_decay = 0.01, .momentum = 0.8, .nesterov = true}, [](const auto& parameters) {
        return torch::optim::SGD(
            parameters, torch::optim::SGDOptions(0.1).momentum(0.8).nesterov(true).weight_decay(0.01));
      });
  expect_equal_training(
      {.kind = OptimizerKind::kAdam, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-6},
      [](const auto& parameters) {
        return torch::optim::Adam(parameters, torch::optim::AdamOptions(0.1).betas({0.8, 0.9}).eps(1e-6));
      });
  expect_equal_training({.kind = OptimizerKind::kAdamW, .weight_decay = 0.1}, [](const auto& parameters) {
    return torch::optim::AdamW(parameters, torch::optim::AdamWOptions(0.1).weight_decay(0.1));
  });
  expect_equal_training({.kind = OptimizerKind::kAdam, .amsgrad = true}, [](const auto& parameters) {
    return torch::optim::Adam(parameters, torch::optim::AdamOptions(0.1).amsgrad(true));
  });
  expect_equal_training(
      {.kind = OptimizerKind::kAdagrad, .epsilon = 1e-6, .rate_decay = 0.1}, [](const auto& parameters) {
        return torch::optim::Adagrad(parameters, torch::optim::AdagradOptions(0.1).lr_decay(0.1).eps(1e-6));
      });
}

TEST(Optimizer, LeavesVectorsAloneWhenAskedTo) {
  torch::nn::Linear net(3, 2);
  const torch::Tensor weight = net->weight.detach().clone();
  const torch::Tensor bias = net->bias.detach().clone();
  const auto optimizer = make_optimizer({.weight_decay = 1, .decay_vectors = false, .momentum = 0}, *net);
  set_learning_rate(*optimizer, 0.5);
  net->weight.mutable_grad() = torch::zeros({2, 3});
  net->bias.mutable_grad() = torch::zeros({2});
  optimizer->step();
  EXPECT_TRUE(torch::allclose(net->weight, weight / 2));
  EXPECT_TRUE(torch::equal(net->bias, bias));
}

TEST(Optimizer, RefusesWhatCannotWork) {
  torch::nn::Linear net(1, 1);
  EXPECT_THROW(make_optimizer({.momentum = 0, .nesterov = true}, *net), Error);
  net->weight.requires_grad_(false);
  net->bias.requires_grad_(false);
  try {
    make_optimizer({}, *net);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "the model has no parameter that wants a gradient: nothing to train");
  }
}

}  // namespace
}  // namespace lockstep
