#pragma once

// A module with two branches, and what its gradients should be.

#include <gtest/gtest.h>

#include <vector>

#include "ddp/ddp_ranks.h"

namespace lockstep::testing {

struct BranchesImpl : torch::nn::Module {
  BranchesImpl() {
    left = register_module("left", torch::nn::Linear(4, 4));
    right = register_module("right", torch::nn::Linear(4, 4));
    trunk = register_module("trunk", torch::nn::Linear(4, 4));
  }
  torch::Tensor forward(const torch::Tensor& x, int branch) {
    const torch::Tensor h = trunk(x);
    return branch == 0 ? left(h) : branch == 1 ? right(h) : left(h) + right(h);
  }
  torch::nn::Linear left{nullptr}, right{nullptr}, trunk{nullptr};
};
TORCH_MODULE(Branches);

// The gradients of a step without averaging, of a module with the same parameters.
template <class Module, class Loss>
std::vector<torch::Tensor> local_gradients(const Module& module, Loss loss) {
  Module local;
  {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < local->parameters().size(); ++i) {
      local->parameters()[i].copy_(module->parameters()[i]);
    }
  }
  loss(local).backward();
  std::vector<torch::Tensor> gradients;
  for (const auto& parameter : local->parameters()) {
    gradients.push_back(parameter.grad().defined() ? parameter.grad().clone() : torch::Tensor());
  }
  return gradients;
}

inline void expect_mean(World& world, const torch::Tensor& parameter, const torch::Tensor& local) {
  const torch::Tensor mine = local.defined() ? local : torch::zeros_like(parameter);
  const torch::Tensor expected = mean_over_ranks(world, mine);
  ASSERT_TRUE(parameter.grad().defined());
  EXPECT_CLOSE(parameter.grad(), expected);
  EXPECT_TRUE(same_on_all_ranks(world, parameter.grad()));
}

template <class Module>
void expect_means(World& world, const Module& module, const std::vector<torch::Tensor>& local) {
  const auto parameters = module->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    expect_mean(world, parameters[i], local[i]);
  }
}

}  // namespace lockstep::testing
