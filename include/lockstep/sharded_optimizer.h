#pragma once

// Optimizers whose work and state are sharded over the ranks: each rank updates its slice of every parameter with
// libtorch's fused kernels, and the new values go to all replicas. Optimizer time and memory are divided by the number
// of ranks, and backward sends half as much. They replace torch::optim and take its options:
//
//   lockstep::DistributedDataParallel model(net, world);
//   lockstep::optim::ShardedAdamW optimizer(model, torch::optim::AdamWOptions(1e-3).weight_decay(0.1),
//                                           {.max_norm = 1.0});
//   ...
//   optimizer.zero_grad();
//   loss.backward();
//   optimizer.step();  // collective
//
// What to know:
//   - After backward, `.grad` holds averages in this rank's slices and this rank's own gradients elsewhere.
//     model.gradients() completes the averages; DdpOptions::full_gradients keeps them complete. They also stay complete
//     with an optimizer over some of the parameters only.
//   - Call zero_grad() between steps: step() refuses a `.grad` to which a second backward has added. A `.grad` that
//     is cleared before it is used, as a discriminator's after the generator's half step, is not an error.
//   - step() is collective. With join(), pass it in: model.join([&] { optimizer.step(); }).
//   - The first step() or load_state() moves the parameters into the world's memory. They stay the same tensors, but
//     views and detached tensors taken earlier keep the old memory.
//   - With Parameters::kShared the ranks of a host share one set of parameters. Only the optimizer may write to it;
//     all other code uses model.write_parameters().
//   - A parameter without `.grad` and its state are left alone. Sparse gradients are refused.
//
// The results are those of Python's torch.optim with fused=True, bit for bit and for any number of ranks: slices end at
// cache lines, so that vector loops and their remainders cover the same elements. With ShardOptions::fused off, the
// results are those of torch::optim. See docs/optim.md.

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/optimizer.h>
#include <torch/optim/sgd.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/parameter_sharing.h"
#include "lockstep/replica.h"
#include "lockstep/unscaling_step.h"

namespace lockstep {

class ShardedUpdate;
class UpdateRule;

namespace optim {

// Options beyond those of torch::optim.
struct ShardOptions {
  // Gradients are clipped to this norm over all parameters of the optimizer; 0: no clipping. Needs one all-reduce of
  // two numbers. Infinity: no clipping, but gradient_norm() is computed.
  double max_norm = 0;
  // Skip a step, on all ranks, whose gradients have no finite norm. Needs that all-reduce too.
  bool finite_only = false;
  bool maximize = false;  // ascend the gradient instead of descending
  // Use libtorch's fused kernels, one pass over memory, where it has one for the device. false: its ordinary
  // operations, with the bits of torch::optim.
  bool fused = true;
  // kShared needs all ranks on one host and an optimizer over all parameters. Writing to a parameter other than through
  // Replica::write_parameters() then crashes the process with a message.
  Parameters parameters = Parameters::kReplicated;
};

// The state of an optimizer by names such as "layer.weight/exp_avg", each with the shape of the parameter, and
// "layer.weight/step", a single int64: what torch::optim keeps for that parameter.
using State = std::map<std::string, torch::Tensor>;

// The base of all four. Learning rates and other options may be changed between steps through param_groups(), as with
// any libtorch optimizer.
class Sharded : public torch::optim::Optimizer, public UnscalingStep {
 public:
  ~Sharded() override;

  const ShardOptions& shard_options() const;

  // Collective.
  torch::Tensor step(LossClosure closure = nullptr) override;
  bool step_unscaled(const torch::Tensor& inverse_scale) override;
  // Whether the last step was taken; with a scaled loss or ShardOptions::finite_only it may be skipped.
  bool took_step() const override;
  // The norm over all gradients, before clipping, in the last step that computed it; 0 before that.
  double gradient_norm() const;

  // The complete state, the same on all ranks and for any number of ranks. Parameters that took no step have none.
  // Collective.
  State full_state() const;
  // The same without a copy where the ranks share memory: its contents change when any rank takes its next step, so the
  // ranks must wait for each other before that. Collective.
  State live_state() const;
  // The reasons why `state` does not fit this optimizer, one per line: tensors that are missing, unexpected, or of
  // another shape or type. State that this optimizer would keep under other options is tolerated.
  std::vector<std::string> misfits(const State& state) const;
  // Resumes from a complete state, which may come from another number of ranks. Collective. Throws
  // Error{kInvalidArgument} with all misfits(), and Error{kAborted} when it fits here but not on another rank; the
  // state is then unchanged.
  void load_state(const State& state);

  // Not supported: a torch::optim archive cannot hold a sharded state. Throw Error{kUnsupported}; use full_state() and
  // load_state().
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 protected:
  // Throws Error{kInvalidArgument} for a parameter that does not belong to the replica, or when parameters are to be
  // shared and a trained one is missing; Error{kUnsupported} for sparse gradients, or when the ranks cannot share
  // memory. Collective.
  Sharded(Replica& replica, std::vector<torch::optim::OptimizerParamGroup> groups,
          std::unique_ptr<torch::optim::OptimizerOptions> defaults, std::unique_ptr<UpdateRule> rule,
          const ShardOptions& shard);

 private:
  std::unique_ptr<ShardedUpdate> update_;
};

class ShardedSGD final : public Sharded {
 public:
  // All parameters of the replica that require a gradient, in one group.
  ShardedSGD(Replica& replica, const torch::optim::SGDOptions& options, const ShardOptions& shard = {});
  // Groups with their own options; as in torch::optim, a group takes whatever it leaves unset from `defaults`.
  ShardedSGD(Replica& replica, std::vector<torch::optim::OptimizerParamGroup> groups,
             const torch::optim::SGDOptions& defaults, const ShardOptions& shard = {});
};

class ShardedAdam final : public Sharded {
 public:
  explicit ShardedAdam(Replica& replica, const torch::optim::AdamOptions& options = {},
                       const ShardOptions& shard = {});
  ShardedAdam(Replica& replica, std::vector<torch::optim::OptimizerParamGroup> groups,
              const torch::optim::AdamOptions& defaults, const ShardOptions& shard = {});
};

class ShardedAdamW final : public Sharded {
 public:
  explicit ShardedAdamW(Replica& replica, const torch::optim::AdamWOptions& options = {},
                        const ShardOptions& shard = {});
  ShardedAdamW(Replica& replica, std::vector<torch::optim::OptimizerParamGroup> groups,
               const torch::optim::AdamWOptions& defaults, const ShardOptions& shard = {});
};

class ShardedAdagrad final : public Sharded {
 public:
  explicit ShardedAdagrad(Replica& replica, const torch::optim::AdagradOptions& options = {},
                          const ShardOptions& shard = {});
  ShardedAdagrad(Replica& replica, std::vector<torch::optim::OptimizerParamGroup> groups,
                 const torch::optim::AdagradOptions& defaults, const ShardOptions& shard = {});
};

// Short names, for code written against them.
using SGD = ShardedSGD;
using Adam = ShardedAdam;
using AdamW = ShardedAdamW;
using Adagrad = ShardedAdagrad;

}  // namespace optim
}  // namespace lockstep
