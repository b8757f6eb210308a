#pragma once

// Optimizers whose work and state are spread over the ranks: each rank updates its slice of every parameter, with
// libtorch's fused kernels, and the new values go to all replicas. The time and the memory of the optimizer divide by
// the number of ranks, and backward sends half as much. They stand where torch::optim does and take its options:
//
//   lockstep::DistributedDataParallel model(net, world);
//   lockstep::optim::ShardedAdamW optimizer(model, torch::optim::AdamWOptions(1e-3).weight_decay(0.1), {.max_norm = 1.0});
//   ...
//   optimizer.zero_grad();
//   loss.backward();
//   optimizer.step();  // collective
//
// What to know:
//   - After a backward `.grad` holds the averages in this rank's slices, and elsewhere this rank's own gradients.
//     model.gradients() completes them; DdpOptions::full_gradients keeps them complete. An optimizer over a part of
//     the parameters leaves them complete too.
//   - Call zero_grad() between steps: step() refuses a `.grad` that a second backward has added to. One that is cleared
//     before anybody uses it, as a discriminator's after the generator's half step, is no error.
//   - step() is collective. In a join, hand it over: model.join([&] { optimizer.step(); }).
//   - Parameters move into memory of the world when it first steps or loads a state. They stay the same tensors, but a
//     view or a detached copy taken before keeps the old memory.
//   - With Parameters::kShared the ranks of a host have one set of parameters. Then only the optimizer writes to them;
//     whatever else has to uses model.write_parameters().
//   - A parameter without `.grad` is left alone, and so is its state. Sparse gradients are refused.
//
// The numbers are those of Python's torch.optim with fused=True, bit for bit and whatever the number of ranks:
// slices end at cache lines, so that vector loops and their remainders fall on the same elements. With
// ShardOptions::fused off they are those of torch::optim. docs/optim.md.

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

// What torch::optim's options do not have.
struct ShardOptions {
  // Gradients are scaled down to this norm over all parameters of the optimizer; 0: they are not. Needs one
  // all-reduce of two numbers. Infinity: they never are, and gradient_norm() is known.
  double max_norm = 0;
  // A step whose gradients have no finite norm is not taken, on no rank. Needs that all-reduce too.
  bool finite_only = false;
  bool maximize = false;  // go up the gradient instead of down
  // With libtorch's fused kernels, one pass over the memory, where it has one for the device. false: with its ordinary
  // operations, as torch::optim has them and with its bits.
  bool fused = true;
  // kShared needs ranks on one host and an optimizer of all parameters. Writing to a parameter in any other way than
  // Replica::write_parameters() then ends the process with a message.
  Parameters parameters = Parameters::kReplicated;
};

// The state of an optimizer by names such as "layer.weight/exp_avg", each with the shape of the parameter, and
// "layer.weight/step", a single int64: what torch::optim keeps for that parameter.
using State = std::map<std::string, torch::Tensor>;

// What the four have in common. Learning rates and other options may be changed between steps, through
// param_groups() as with any optimizer of libtorch.
class Sharded : public torch::optim::Optimizer, public UnscalingStep {
 public:
  ~Sharded() override;

  const ShardOptions& shard_options() const;

  // Collective.
  torch::Tensor step(LossClosure closure = nullptr) override;
  bool step_unscaled(const torch::Tensor& inverse_scale) override;
  // Whether the last step was taken: not all are with a scaled loss, or with ShardOptions::finite_only.
  bool took_step() const override;
  // The norm over all gradients of the last step that looked at it, before it clipped; 0 before that.
  double gradient_norm() const;

  // The whole state, the same on all ranks and however many they are. Parameters that took no step have none.
  // Collective.
  State full_state() const;
  // The same without a copy, where the ranks share memory: what is in it changes when any of them takes its next step, so
  // they have to wait for each other before that. Collective.
  State live_state() const;
  // What keeps `state` from being one of this optimizer: a tensor that is missing, too many, or of another shape or type;
  // a line each. What other options of it would keep is no fault.
  std::vector<std::string> misfits(const State& state) const;
  // Goes on from a whole state, which may come from another number of ranks. Collective. Throws
  // Error{kInvalidArgument} with all misfits(), and Error{kAborted} where it fits while it does not on another rank; the
  // state is then as it was.
  void load_state(const State& state);

  // Not the way: an archive of torch::optim has no place for a state that is spread. Throw Error{kUnsupported}.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 protected:
  // Throws Error{kInvalidArgument} for a parameter that is not the replica's or a trained one that is missing where
  // they are to be shared, Error{kUnsupported} for one with sparse gradients or ranks that can share nothing.
  // Collective.
  Sharded(Replica& replica, std::vector<torch::optim::OptimizerParamGroup> groups,
          std::unique_ptr<torch::optim::OptimizerOptions> defaults, std::unique_ptr<UpdateRule> rule,
          const ShardOptions& shard);

 private:
  std::unique_ptr<ShardedUpdate> update_;
};

class ShardedSGD final : public Sharded {
 public:
  // All parameters of the replica that want a gradient, in one group.
  ShardedSGD(Replica& replica, const torch::optim::SGDOptions& options, const ShardOptions& shard = {});
  // Groups with options of their own; as in torch::optim, what a group leaves at its default it takes from `defaults`.
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

// Short names, for code that was written with them.
using SGD = ShardedSGD;
using Adam = ShardedAdam;
using AdamW = ShardedAdamW;
using Adagrad = ShardedAdagrad;

}  // namespace optim
}  // namespace lockstep
