#include "lockstep/optimizer.h"

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <utility>
#include <vector>

#include "ddp/parameter_slices.h"
#include "lockstep/error.h"
#include "lockstep/replica.h"
#include "lockstep/sharded_optimizer.h"
#include "optim/trained_parameters.h"

namespace lockstep {
namespace {

using torch::optim::OptimizerParamGroup;
using Parameters = std::vector<torch::Tensor>;

// One group, or two when vectors do not decay.
template <class Options>
std::vector<OptimizerParamGroup> group_parameters(const OptimizerOptions& options,
                                                  const Parameters& parameters, const Options& settings) {
  Parameters decaying;
  Parameters plain;
  for (const torch::Tensor& parameter : trained_parameters(parameters)) {
    (options.decay_vectors || parameter.dim() > 1 ? decaying : plain).push_back(parameter);
  }
  std::vector<OptimizerParamGroup> groups;
  for (auto& [members, decay] : {std::pair{&decaying, options.weight_decay}, std::pair{&plain, 0.0}}) {
    if (!members->empty()) {
      Options of_group = settings;
      of_group.weight_decay(decay);
      groups.emplace_back(std::move(*members), std::make_unique<Options>(of_group));
    }
  }
  return groups;
}

template <class Options>
Options adam_settings(const OptimizerOptions& options) {
  return Options(0.0).betas({options.beta1, options.beta2}).eps(options.epsilon).amsgrad(options.amsgrad);
}

// Passes the settings of `options` to `make` in the form that each optimizer takes.
template <class Make>
std::unique_ptr<torch::optim::Optimizer> with_settings(const OptimizerOptions& options, const Make& make) {
  options.check();
  switch (options.kind) {
    case OptimizerKind::kSgd:
      return make(torch::optim::SGDOptions(0.0).momentum(options.momentum).nesterov(options.nesterov));
    case OptimizerKind::kAdam:
      return make(adam_settings<torch::optim::AdamOptions>(options));
    case OptimizerKind::kAdamW:
      return make(adam_settings<torch::optim::AdamWOptions>(options));
    case OptimizerKind::kAdagrad:
      return make(torch::optim::AdagradOptions(0.0).lr_decay(options.rate_decay).eps(options.epsilon));
  }
  return nullptr;
}

// Which optimizers take which settings.
template <class Options>
struct Takers;
template <>
struct Takers<torch::optim::SGDOptions> {
  using Plain = torch::optim::SGD;
  using Sharded = optim::ShardedSGD;
};
template <>
struct Takers<torch::optim::AdamOptions> {
  using Plain = torch::optim::Adam;
  using Sharded = optim::ShardedAdam;
};
template <>
struct Takers<torch::optim::AdamWOptions> {
  using Plain = torch::optim::AdamW;
  using Sharded = optim::ShardedAdamW;
};
template <>
struct Takers<torch::optim::AdagradOptions> {
  using Plain = torch::optim::Adagrad;
  using Sharded = optim::ShardedAdagrad;
};

std::unique_ptr<torch::optim::Optimizer> make_plain(const OptimizerOptions& options,
                                                    const Parameters& parameters) {
  return with_settings(options, [&]<class Options>(const Options& settings) {
    return std::unique_ptr<torch::optim::Optimizer>(std::make_unique<typename Takers<Options>::Plain>(
        group_parameters(options, parameters, settings), settings));
  });
}

std::unique_ptr<torch::optim::Optimizer> make_sharded(const OptimizerOptions& options, Replica& replica,
                                                      optim::ShardOptions shard) {
  shard.fused = options.fused;
  shard.parameters = ParameterSlices(replica).communicator().shares_memory() ? options.parameters
                                                                             : optim::Parameters::kReplicated;
  return with_settings(options, [&]<class Options>(const Options& settings) {
    return std::unique_ptr<torch::optim::Optimizer>(std::make_unique<typename Takers<Options>::Sharded>(
        replica, group_parameters(options, replica.parameters(), settings), settings, shard));
  });
}

}  // namespace

void OptimizerOptions::describe(config::Description& d) {
  d.option("kind", kind, "which optimizer")
      .choices({{"sgd", OptimizerKind::kSgd},
                {"adam", OptimizerKind::kAdam},
                {"adamw", OptimizerKind::kAdamW},
                {"adagrad", OptimizerKind::kAdagrad}});
  d.option("sharded", sharded, "each rank updates a slice of every parameter instead of all parameters");
  d.option("fused", fused,
           "if sharded: use libtorch's fused kernels; otherwise its ordinary operations, with their bits");
  d.option("parameters", parameters, "if sharded: one set of parameters per host, or one per rank")
      .choices({{"shared", optim::Parameters::kShared}, {"replicated", optim::Parameters::kReplicated}});
  d.option("weight-decay", weight_decay, "pulls weights towards 0").range(0.0, 1e3);
  d.option("decay-vectors", decay_vectors, "apply weight decay to biases and norm weights too");
  d.option("momentum", momentum, "of sgd").range(0.0, 1.0);
  d.option("nesterov", nesterov, "use Nesterov momentum with sgd");
  d.option("beta1", beta1, "of adam and adamw: memory of the gradient").range(0.0, 0.999999);
  d.option("beta2", beta2, "of adam and adamw: memory of its square").range(0.0, 0.9999999);
  d.option("epsilon", epsilon, "of adam, adamw and adagrad: keeps the division from exploding")
      .range(0.0, 1.0);
  d.option("amsgrad", amsgrad, "adam and adamw divide by the largest square so far");
  d.option("rate-decay", rate_decay, "of adagrad: the learning rate is divided by 1 + this * steps")
      .range(0.0, 1e3);
}

void OptimizerOptions::check() const {
  if (kind == OptimizerKind::kSgd && nesterov && momentum == 0) {
    throw Error(ErrorCode::kInvalidConfig, "nesterov needs a momentum, and momentum is 0");
  }
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerOptions& options,
                                                        const torch::nn::Module& model) {
  return make_plain(options, model.parameters());
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerOptions& options, Replica& replica,
                                                        const optim::ShardOptions& shard) {
  return options.sharded && !replica.has_sparse_gradients() ? make_sharded(options, replica, shard)
                                                            : make_plain(options, replica.parameters());
}

void set_learning_rate(torch::optim::Optimizer& optimizer, double rate) {
  for (OptimizerParamGroup& group : optimizer.param_groups()) {
    group.options().set_lr(rate);
  }
}

}  // namespace lockstep
