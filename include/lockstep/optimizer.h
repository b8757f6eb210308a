#pragma once

// Optimizers by name. The training loop uses them through torch::optim::Optimizer only, so anything derived from it can
// replace them.
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
  bool fused = true;    // when sharded: libtorch's fused kernels; false: as torch::optim, bit for bit
  optim::Parameters parameters = optim::Parameters::kShared;  // when sharded, and where ranks share memory
  double weight_decay = 0;
  bool decay_vectors = true;  // also one-dimensional parameters: biases and the weights of norms
  double momentum = 0.9;      // sgd
  bool nesterov = false;      // sgd
  double beta1 = 0.9;         // adam, adamw
  double beta2 = 0.999;       // adam, adamw
  double epsilon = 1e-8;      // adam, adamw, adagrad
  bool amsgrad = false;       // adam, adamw
  double rate_decay = 0;      // adagrad

  void describe(config::Description& d);

  // Throws Error{kInvalidConfig} for options that contradict each other.
  void check() const;
};

// A torch::optim optimizer for the parameters of `model` that require a gradient. The learning rate is 0 until set.
// Throws what check() throws, and Error{kInvalidArgument} when there is no such parameter.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerOptions& options,
                                                        const torch::nn::Module& model);

// A lockstep::optim optimizer with the options of `shard`, except `fused` and `parameters`, which come from `options`.
// If `options.sharded` is false, or the model has sparse gradients, which cannot be sliced, a torch::optim optimizer
// that ignores `shard`. Collective. Learning rate and errors as above.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerOptions& options, Replica& replica,
                                                        const optim::ShardOptions& shard);

// Sets the rate of all parameter groups.
void set_learning_rate(torch::optim::Optimizer& optimizer, double rate);

}  // namespace lockstep
