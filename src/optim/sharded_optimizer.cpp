#include "lockstep/sharded_optimizer.h"

#include <c10/util/StringUtil.h>

#include <tuple>
#include <utility>

#include "lockstep/error.h"
#include "optim/sharded_update.h"
#include "optim/trained_parameters.h"
#include "optim/update_rule.h"

namespace lockstep::optim {
namespace {

using torch::optim::AdagradOptions;
using torch::optim::AdamOptions;
using torch::optim::AdamWOptions;
using torch::optim::OptimizerParamGroup;
using torch::optim::SGDOptions;

std::vector<OptimizerParamGroup> one_group(const Replica& replica) {
  return {OptimizerParamGroup(trained_parameters(replica.parameters()))};
}

void require(bool sound, const std::string& reason) {
  if (!sound) {
    throw Error(ErrorCode::kInvalidArgument, reason);
  }
}

void require_common(double rate, double decay) {
  require(rate >= 0, c10::str("a learning rate of ", rate, ": must not be below 0"));
  require(decay >= 0, c10::str("a weight decay of ", decay, ": must not be below 0"));
}

void require_sound(const SGDOptions& options) {
  require_common(options.lr(), options.weight_decay());
  require(options.momentum() >= 0, c10::str("a momentum of ", options.momentum(), ": must not be below 0"));
  require(!options.nesterov() || (options.momentum() > 0 && options.dampening() == 0),
          "nesterov needs a momentum and no dampening");
}

template <class Options>
void require_sound_adam(const Options& options) {
  require_common(options.lr(), options.weight_decay());
  const auto [beta1, beta2] = options.betas();
  require(beta1 >= 0 && beta1 < 1 && beta2 >= 0 && beta2 < 1,
          c10::str("betas of ", beta1, " and ", beta2, ": must be at least 0 and below 1"));
  require(options.eps() >= 0, c10::str("an eps of ", options.eps(), ": must not be below 0"));
}
void require_sound(const AdamOptions& options) {
  require_sound_adam(options);
}
void require_sound(const AdamWOptions& options) {
  require_sound_adam(options);
}

void require_sound(const AdagradOptions& options) {
  require_common(options.lr(), options.weight_decay());
  require(options.lr_decay() >= 0 && options.initial_accumulator_value() >= 0 && options.eps() >= 0,
          c10::str("lr_decay ", options.lr_decay(), ", initial_accumulator_value ",
                   options.initial_accumulator_value(), ", eps ", options.eps(), ": must not be below 0"));
}

// Checks the type of the options, which add_param_group() does not.
template <class Options>
std::vector<OptimizerParamGroup> checked(std::vector<OptimizerParamGroup> groups, const Options& defaults) {
  require_sound(defaults);
  for (const OptimizerParamGroup& group : groups) {
    if (group.has_options()) {
      const auto* options = dynamic_cast<const Options*>(&group.options());
      require(options != nullptr, "a group has the options of another optimizer");
      require_sound(*options);
    }
  }
  return groups;
}

}  // namespace

Sharded::Sharded(Replica& replica, std::vector<OptimizerParamGroup> groups,
                 std::unique_ptr<torch::optim::OptimizerOptions> defaults, std::unique_ptr<UpdateRule> rule,
                 const ShardOptions& shard)
    : Optimizer(groups, std::move(defaults)) {
  require(shard.max_norm >= 0, c10::str("a norm of at most ", shard.max_norm, ": must not be below 0"));
  update_ = std::make_unique<ShardedUpdate>(replica, param_groups(), std::move(rule), shard);
}
Sharded::~Sharded() = default;

const ShardOptions& Sharded::shard_options() const {
  return update_->options();
}

torch::Tensor Sharded::step(LossClosure closure) {
  torch::Tensor loss;
  if (closure) {
    const torch::AutoGradMode with_gradients(true);
    loss = closure();
  }
  update_->take({});
  return loss;
}
bool Sharded::step_unscaled(const torch::Tensor& inverse_scale) {
  update_->take(inverse_scale);
  return took_step();
}
bool Sharded::took_step() const {
  return update_->took_step();
}
double Sharded::gradient_norm() const {
  return update_->gradient_norm();
}
State Sharded::full_state() const {
  State state = live_state();
  for (auto& [name, tensor] : state) {
    tensor = tensor.clone();
  }
  update_->leave_state();
  return state;
}
State Sharded::live_state() const {
  return update_->live_state();
}
std::vector<std::string> Sharded::misfits(const State& state) const {
  return update_->misfits(state);
}
void Sharded::load_state(const State& state) {
  update_->load_state(state);
}

void Sharded::save(torch::serialize::OutputArchive& /*archive*/) const {
  throw Error(ErrorCode::kUnsupported,
              "the state of this optimizer is spread over the ranks: save what full_state() gives");
}
void Sharded::load(torch::serialize::InputArchive& /*archive*/) {
  throw Error(ErrorCode::kUnsupported,
              "the state of this optimizer is spread over the ranks: hand a whole one to load_state()");
}

ShardedSGD::ShardedSGD(Replica& replica, const SGDOptions& options, const ShardOptions& shard)
    : ShardedSGD(replica, one_group(replica), options, shard) {}
ShardedSGD::ShardedSGD(Replica& replica, std::vector<OptimizerParamGroup> groups, const SGDOptions& defaults,
                       const ShardOptions& shard)
    : Sharded(replica, checked(std::move(groups), defaults), std::make_unique<SGDOptions>(defaults),
              sgd_rule(), shard) {}

ShardedAdam::ShardedAdam(Replica& replica, const AdamOptions& options, const ShardOptions& shard)
    : ShardedAdam(replica, one_group(replica), options, shard) {}
ShardedAdam::ShardedAdam(Replica& replica, std::vector<OptimizerParamGroup> groups,
                         const AdamOptions& defaults, const ShardOptions& shard)
    : Sharded(replica, checked(std::move(groups), defaults), std::make_unique<AdamOptions>(defaults),
              adam_rule(), shard) {}

ShardedAdamW::ShardedAdamW(Replica& replica, const AdamWOptions& options, const ShardOptions& shard)
    : ShardedAdamW(replica, one_group(replica), options, shard) {}
ShardedAdamW::ShardedAdamW(Replica& replica, std::vector<OptimizerParamGroup> groups,
                           const AdamWOptions& defaults, const ShardOptions& shard)
    : Sharded(replica, checked(std::move(groups), defaults), std::make_unique<AdamWOptions>(defaults),
              adamw_rule(), shard) {}

ShardedAdagrad::ShardedAdagrad(Replica& replica, const AdagradOptions& options, const ShardOptions& shard)
    : ShardedAdagrad(replica, one_group(replica), options, shard) {}
ShardedAdagrad::ShardedAdagrad(Replica& replica, std::vector<OptimizerParamGroup> groups,
                               const AdagradOptions& defaults, const ShardOptions& shard)
    : Sharded(replica, checked(std::move(groups), defaults), std::make_unique<AdagradOptions>(defaults),
              adagrad_rule(), shard) {}

}  // namespace lockstep::optim
