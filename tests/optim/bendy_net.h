#pragma once

// A net for the ways in which training loops differ, and sharded optimizers for it.

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "lockstep/sharded_optimizer.h"
#include "optim/odd_net.h"

namespace lockstep::testing {

inline constexpr optim::ShardOptions kShared{.parameters = optim::Parameters::kShared};

// With a part that may be left out, a frozen one and a tied one.
struct BendyNetImpl : torch::nn::Module {
  BendyNetImpl() {
    first = register_module("first", torch::nn::Linear(7, 33));
    side = register_module("side", torch::nn::Linear(33, 33));
    register_module("again", side);
    frozen = register_parameter("frozen", torch::randn({33}), /*requires_grad=*/false);
    mixed = register_parameter("mixed", torch::randn({21, 33}).t());
    last = register_module("last", torch::nn::Linear(21, 5));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor h = torch::tanh(first(x)) * frozen;
    if (with_side) {
      h = h + side(torch::tanh(side(h)));
    }
    return last(torch::tanh(h.matmul(mixed)));
  }
  torch::nn::Linear first{nullptr}, side{nullptr}, last{nullptr};
  torch::Tensor frozen, mixed;
  bool with_side = true;
};
TORCH_MODULE(BendyNet);

using Make = std::function<std::unique_ptr<optim::Sharded>(Replica&, optim::ShardOptions)>;

template <class Optimizer, class Options>
Make maker(const Options& options) {
  return [options](Replica& replica, const optim::ShardOptions& shard) {
    return std::make_unique<Optimizer>(replica, options, shard);
  };
}

inline std::vector<Make> optimizers() {
  return {maker<optim::ShardedSGD>(torch::optim::SGDOptions(0.05).momentum(0.9).nesterov(true)),
          maker<optim::ShardedAdam>(torch::optim::AdamOptions(0.01).amsgrad(true)),
          maker<optim::ShardedAdamW>(torch::optim::AdamWOptions(0.01).weight_decay(0.1)),
          maker<optim::ShardedAdagrad>(torch::optim::AdagradOptions(0.05).lr_decay(0.01))};
}

// A net that is trained by one optimizer.
struct Trained {
  Trained(World& world, const Make& make, const optim::ShardOptions& shard)
      : model(net, world, small_buckets()), optimizer(make(model, shard)) {}

  void backward(const torch::Tensor& x) { model(x).square().mean().backward(); }
  void train(const torch::Tensor& x) {
    optimizer->zero_grad();
    backward(x);
    optimizer->step();
  }

  BendyNet net;
  DistributedDataParallel<BendyNet> model;
  std::unique_ptr<optim::Sharded> optimizer;
};

// One step in one of the ten ways, 0 to 9, in which training loops differ here.
inline void take_step(Trained& trained, const torch::Tensor& x, unsigned way) {
  trained.net->with_side = way != 1;
  trained.optimizer->zero_grad();
  if (way == 2) {
    const auto guard = trained.model.no_sync();
    trained.backward(x * 2);
  }
  trained.backward(x);
  if (way == 3) {
    for (auto& group : trained.optimizer->param_groups()) {
      group.options().set_lr(group.options().get_lr() * 0.7);
    }
  } else if (way == 4) {
    for (auto& gradient : trained.model.gradients()) {
      gradient.value().mul_(0.5);
    }
  } else if (way == 5) {
    trained.model.write_parameters([&] {
      for (torch::Tensor& parameter : trained.net->parameters()) {
        parameter.mul_(0.9);
      }
    });
  } else if (way == 6) {
    for (torch::Tensor& parameter : trained.net->parameters()) {  // as torch::load() does
      parameter.set_data(parameter.detach() * 1.1);
    }
  } else if (way == 7) {
    trained.optimizer->load_state(trained.optimizer->full_state());
  }
  if (way == 8 || way == 9) {
    if (way == 9) {
      trained.net->last->bias.mutable_grad().fill_(std::numeric_limits<float>::infinity());
    }
    trained.optimizer->step_unscaled(torch::full({}, 0.5));
  } else {
    trained.optimizer->step();
  }
}

}  // namespace lockstep::testing
