#pragma once

// Optimizers by name, and the one seam through which a training loop uses them: whatever derives from
// torch::optim::Optimizer can take their place.
//
//   OptimizerOptions options{.kind = OptimizerKind::kAdamW, .weight_decay = 0.1, .decay_vectors = false};
//   auto optimizer = make_optimizer(options, model);
//   set_learning_rate(*optimizer, learning_rate(lr, step, steps));

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <memory>

#include "lockstep/config_description.h"
#include "lockstep/parameter_sharing.h"

namespace lockstep {

class Replica;
namespace optim {
struct ShardOptions;
}

enum class OptimizerKind { kSgd, kAdam, kAdamW, kAdagrad };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::kSgd;
  bool sharded = true;  // each rank updates its slice of every parameter
  bool fused = true;    // when sharded: libtorch's fused kernels, not the operations and bits of torch::optim
  optim::Parameters parameters = optim::Parameters::kShared;  // when sharded, and where ranks share memory
  double weight_decay = 0;
  bool decay_vectors = true;  // also biases and the weights of norms, that is, parameters of one dimension
  double momentum = 0.9;      // sgd
  bool nesterov = false;      // sgd
  double beta1 = 0.9;         // adam, adamw
  double beta2 = 0.999;       // adam, adamw
  double epsilon = 1e-8;      // adam, adamw, adagrad
  bool amsgrad = false;       // adam, adamw
  double rate_decay = 0;      // adagrad

  void describe(config::Description& d);

  // Throws Error{kInvalidConfig} for what only the whole shows.
  void check() const;
};

// libtorch's, for the parameters of `model` that want a gradient. The learning rate is 0 until it is set. Throws what
// check() throws, and Error{kInvalidArgument} when there is no such parameter.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerOptions& options,
                                                        const torch::nn::Module& model);

// One of lockstep::optim, which does what `shard` says, apart from `fused` and `parameters`, which are up to `options`;
// libtorch's, which does not, where `options` want that and for models with sparse gradients, which have no slices.
// Collective. Otherwise like the other.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerOptions& options, Replica& replica,
                                                        const optim::ShardOptions& shard);

// Of all groups of parameters.
void set_learning_rate(torch::optim::Optimizer& optimizer, double rate);

}  // namespace lockstep
