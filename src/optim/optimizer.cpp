#include "lockstep/optimizer.h"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <utility>
#include <vector>

#include "lockstep/error.h"

namespace lockstep {
namespace {

using torch::optim::OptimizerParamGroup;

// One group, or two when vectors do not decay.
template <class Options>
std::vector<OptimizerParamGroup> group_parameters(const OptimizerOptions& options,
                                                  const torch::nn::Module& model, const Options& settings) {
  std::vector<torch::Tensor> decaying;
  std::vector<torch::Tensor> plain;
  for (const torch::Tensor& parameter : model.parameters()) {
    if (parameter.requires_grad()) {
      (options.decay_vectors || parameter.dim() > 1 ? decaying : plain).push_back(parameter);
    }
  }
  if (decaying.empty() && plain.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "the model has no parameter that wants a gradient: nothing to train");
  }
  std::vector<OptimizerParamGroup> groups;
  for (auto& [parameters, decay] : {std::pair{&decaying, options.weight_decay}, std::pair{&plain, 0.0}}) {
    if (!parameters->empty()) {
      Options of_group = settings;
      of_group.weight_decay(decay);
      groups.emplace_back(std::move(*parameters), std::make_unique<Options>(of_group));
    }
  }
  return groups;
}

template <class Optimizer, class Options>
std::unique_ptr<torch::optim::Optimizer> make(const OptimizerOptions& options, const torch::nn::Module& model,
                                              const Options& settings) {
  return std::make_unique<Optimizer>(group_parameters(options, model, settings), settings);
}

template <class Options>
Options adam_settings(const OptimizerOptions& options) {
  return Options(0.0).betas({options.beta1, options.beta2}).eps(options.epsilon);
}

}  // namespace

void OptimizerOptions::describe(config::Description& d) {
  d.option("kind", kind, "which optimizer")
      .choices(
          {{"sgd", OptimizerKind::kSgd}, {"adam", OptimizerKind::kAdam}, {"adamw", OptimizerKind::kAdamW}});
  d.option("weight-decay", weight_decay, "pulls weights towards 0").range(0.0, 1e3);
  d.option("decay-vectors", decay_vectors, "weight decay also for biases and the weights of norms");
  d.option("momentum", momentum, "of sgd").range(0.0, 1.0);
  d.option("nesterov", nesterov, "sgd looks ahead along its momentum");
  d.option("beta1", beta1, "of adam and adamw: memory of the gradient").range(0.0, 0.999999);
  d.option("beta2", beta2, "of adam and adamw: memory of its square").range(0.0, 0.9999999);
  d.option("epsilon", epsilon, "of adam and adamw: keeps the division from exploding").range(0.0, 1.0);
}

void OptimizerOptions::check() const {
  if (kind == OptimizerKind::kSgd && nesterov && momentum == 0) {
    throw Error(ErrorCode::kInvalidConfig, "nesterov needs a momentum, and momentum is 0");
  }
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerOptions& options,
                                                        const torch::nn::Module& model) {
  options.check();
  switch (options.kind) {
    case OptimizerKind::kSgd:
      return make<torch::optim::SGD>(
          options, model,
          torch::optim::SGDOptions(0.0).momentum(options.momentum).nesterov(options.nesterov));
    case OptimizerKind::kAdam:
      return make<torch::optim::Adam>(options, model, adam_settings<torch::optim::AdamOptions>(options));
    case OptimizerKind::kAdamW:
      return make<torch::optim::AdamW>(options, model, adam_settings<torch::optim::AdamWOptions>(options));
  }
  return nullptr;
}

void set_learning_rate(torch::optim::Optimizer& optimizer, double rate) {
  for (OptimizerParamGroup& group : optimizer.param_groups()) {
    group.options().set_lr(rate);
  }
}

}  // namespace lockstep
