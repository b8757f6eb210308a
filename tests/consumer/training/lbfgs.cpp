// An optimizer that calls back for loss and gradients several times in a step. It decides by the loss where to go, so all
// ranks have to give it the same one: the mean over all of them.

#include <lockstep/distributed_data_parallel.h>
#include <torch/torch.h>

#include "cases.h"

namespace consumer {
namespace {

torch::nn::Sequential make_regression() {
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::Tanh(), torch::nn::Linear(8, 2));
  net->to(torch::kDouble);
  return net;
}

torch::optim::LBFGSOptions lbfgs_options(bool line_search) {
  auto options = torch::optim::LBFGSOptions(line_search ? 1 : 0.1).max_iter(6).history_size(4);
  if (line_search) {
    options.line_search_fn("strong_wolfe");
  }
  return options;
}

// Each iteration doubles, about, what rounding did to the one before.
constexpr double kLbfgsLimit = 1e-8;

void train_lbfgs_variant(Trial& trial, bool line_search) {
  trial.begin(line_search ? "with a line search" : "without a line search");
  auto net = make_regression();
  lockstep::DistributedDataParallel model(net, trial.world());
  torch::optim::LBFGS optimizer(model.parameters(), lbfgs_options(line_search));
  auto alone = make_regression();
  copy_state(*net, *alone);
  torch::optim::LBFGS lone_optimizer(alone->parameters(), lbfgs_options(line_search));

  const torch::Tensor x = random(1, {kBatch, 4});
  const torch::Tensor y = torch::sin(x.narrow(1, 0, 2)) + 0.1 * random(2, {kBatch, 2});
  int calls = 0;
  const auto closure = [&] {
    ++calls;
    optimizer.zero_grad();
    const torch::Tensor loss = torch::mse_loss(model(trial.mine(x)), trial.mine(y));
    loss.backward();
    torch::Tensor mean = loss.detach().clone();
    trial.world().communicator().all_reduce(lockstep::Buffer(mean.data_ptr(), 1, lockstep::DType::kF64),
                                            lockstep::ReduceOp::kAvg, {.label = "loss"});
    return mean;
  };
  int lone_calls = 0;
  const auto lone_closure = [&] {
    ++lone_calls;
    lone_optimizer.zero_grad();
    const torch::Tensor loss = torch::mse_loss(alone->forward(x), y);
    loss.backward();
    return loss;
  };
  for (int step = 0; step < 3; ++step) {
    const torch::Tensor loss = optimizer.step(closure);
    const torch::Tensor expected = lone_optimizer.step(lone_closure);
    trial.require_near("the loss", loss, expected, kLbfgsLimit);
    trial.require(calls == lone_calls, "asked for the loss " + std::to_string(calls) +
                                           " times, in one process " + std::to_string(lone_calls));
  }
  trial.require_twins(*net, *alone, kLbfgsLimit);
  trial.require_equal_bits(*net);
}

}  // namespace

void train_lbfgs(Trial& trial) {
  train_lbfgs_variant(trial, true);
  train_lbfgs_variant(trial, false);
}

}  // namespace consumer
