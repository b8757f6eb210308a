// A mixture of experts: in some steps no rank asks an expert, in others some ranks do. What nobody used is as in one
// process, its gradient and what the optimizer remembers of it.

#include <lockstep/distributed_data_parallel.h>
#include <lockstep/optimizer_state.h>
#include <torch/torch.h>

#include "cases.h"
#include "optimizer_kind.h"

namespace consumer {
namespace {

constexpr std::int64_t kExperts = 5;
constexpr std::int64_t kFeatures = 6;

// Which expert each sample of a step goes to. With 3 ranks a rank has 4 samples, with 2 it has 6.
const std::vector<std::vector<std::int64_t>> kRoutes = {
    {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},  // the last expert is never asked
    {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1},  // 2 and 3 by nobody
    {2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 3},  // 2 by the first rank only, 3 by the last one only
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},  // one alone
    {3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2},  // no rank of two has both
    {0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3},  // all but the last one again
};

struct ExpertsImpl : torch::nn::Module {
  ExpertsImpl() {
    for (std::int64_t i = 0; i < kExperts; ++i) {
      experts->push_back(
          torch::nn::Sequential(torch::nn::Linear(kFeatures, 7), torch::nn::Tanh(), torch::nn::Linear(7, 3)));
    }
    to(torch::kDouble);
  }
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& routes) {
    const torch::Tensor trust = torch::softmax(gate(x), 1);
    torch::Tensor y = torch::zeros({x.size(0), 3}, torch::kDouble);
    for (std::int64_t i = 0; i < kExperts; ++i) {
      const torch::Tensor rows = (routes == i).nonzero().squeeze(1);
      if (rows.numel() > 0) {
        auto expert = experts[static_cast<std::size_t>(i)]->as<torch::nn::Sequential>();
        y = y.index_add(
            0, rows,
            expert->forward(x.index_select(0, rows)) * trust.index_select(0, rows).select(1, i).unsqueeze(1));
      }
    }
    return y;
  }
  torch::nn::Linear gate = register_module("gate", torch::nn::Linear(kFeatures, kExperts));
  torch::nn::ModuleList experts = register_module("experts", torch::nn::ModuleList());
};
TORCH_MODULE(Experts);

using lockstep::optim::State;

// Libtorch's Adagrad has a state of zeros for every parameter from the start, the others from its first step on.
State of_steps_taken(const State& state) {
  State taken;
  for (const auto& [name, tensor] : state) {
    const auto steps = state.find(name.substr(0, name.rfind('/')) + "/step");
    if (steps == state.end() || steps->second.item<std::int64_t>() > 0) {
      taken.emplace(name, tensor);
    }
  }
  return taken;
}

void require_equal_states(Trial& trial, const State& actual, const State& expected) {
  for (const auto& [name, wanted] : expected) {
    const auto found = actual.find(name);
    trial.require(found != actual.end(), "the optimizer remembers no " + name + ", unlike in one process");
    trial.require_near("the optimizer's " + name, found->second, wanted);
  }
  for (const auto& [name, tensor] : actual) {
    trial.require(expected.count(name) == 1, "the optimizer remembers " + name + ", unlike in one process");
  }
}

void train_experts_variant(Trial& trial, OptimizerKind kind, bool set_to_none) {
  trial.begin(name_of(kind) + (set_to_none ? ", gradients set to none" : ", gradients set to zero"));
  Experts net;
  lockstep::DistributedDataParallel model(net, trial.world());
  const auto optimizer = make_optimizer(kind, model);
  Experts alone;
  copy_state(*net, *alone);
  const auto lone_optimizer = make_plain_optimizer(kind, alone->parameters());
  const auto unasked = net->experts[kExperts - 1]->parameters()[0].detach().clone();

  for (std::size_t step = 0; step < kRoutes.size(); ++step) {
    const torch::Tensor x = random(2 * step, {kBatch, kFeatures});
    const torch::Tensor y = random(2 * step + 1, {kBatch, 3});
    const torch::Tensor routes = torch::tensor(kRoutes[step]);
    optimizer->zero_grad(set_to_none);
    torch::mse_loss(model(trial.mine(x), trial.mine(routes)), trial.mine(y)).backward();
    lone_optimizer->zero_grad(set_to_none);
    torch::mse_loss(alone(x, routes), y).backward();
    if (step != 1) {
      trial.require_equal_gradients(model, *alone);
    }
    optimizer->step();
    lone_optimizer->step();
    require_equal_states(trial, of_steps_taken(lockstep::optim::state_of(*optimizer, *net)),
                         of_steps_taken(lockstep::optim::state_of(*lone_optimizer, *alone)));
  }
  trial.require_twins(*net, *alone);
  trial.require_equal_bits(*net);
  trial.require(torch::equal(net->experts[kExperts - 1]->parameters()[0], unasked),
                "the expert that was never asked has changed");
}

}  // namespace

void train_experts(Trial& trial) {
  for (const OptimizerKind kind : kAllOptimizers) {
    train_experts_variant(trial, kind, true);
    train_experts_variant(trial, kind, false);
  }
}

}  // namespace consumer
