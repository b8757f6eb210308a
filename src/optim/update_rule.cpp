#include "optim/update_rule.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_fused_adagrad_ops.h>
#include <ATen/ops/_fused_adam_ops.h>
#include <ATen/ops/_fused_adamw_ops.h>
#include <ATen/ops/_fused_sgd_ops.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/StringUtil.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <optional>
#include <tuple>
#include <type_traits>

#include "optim/ordinary_update.h"

namespace lockstep {
namespace {

using GroupOptions = torch::optim::OptimizerOptions;

// Asks libtorch for which devices it has a kernel.
template <class Kernel>
bool has_kernel(const torch::Device& device) {
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(Kernel::name, Kernel::overload_name);
  return op.hasKernelForDispatchKey(c10::computeDispatchKey({}, {}, device));
}

template <class Kernel>
bool takes(const UpdateBatch& batch) {
  return batch.fused && has_kernel<Kernel>(batch.values[0].device());
}

class SgdRule final : public UpdateRule {
 public:
  std::string describe(const GroupOptions& options) const override {
    const auto& sgd = static_cast<const torch::optim::SGDOptions&>(options);
    return c10::str("SGD, lr ", sgd.lr(), ", momentum ", sgd.momentum(), ", dampening ", sgd.dampening(),
                    ", weight decay ", sgd.weight_decay(), sgd.nesterov() ? ", nesterov" : "");
  }
  std::vector<std::string_view> state_names(const GroupOptions& options) const override {
    if (static_cast<const torch::optim::SGDOptions&>(options).momentum() == 0) {
      return {};
    }
    return all_state_names();
  }
  std::vector<std::string_view> all_state_names() const override { return {"momentum_buffer"}; }
  bool counts_steps() const override { return false; }

  void update(const GroupOptions& options, UpdateBatch& batch) const override {
    const auto& sgd = static_cast<const torch::optim::SGDOptions&>(options);
    if (!takes<at::_ops::_fused_sgd_>(batch)) {
      update_ordinarily(sgd, batch);
      return;
    }
    at::_ops::_fused_sgd_::call(batch.values, batch.gradients,
                                batch.states.empty() ? std::vector<torch::Tensor>() : batch.states[0],
                                sgd.weight_decay(), sgd.momentum(), sgd.lr(), sgd.dampening(), sgd.nesterov(),
                                batch.maximize, batch.first, {}, {});
  }
};

// Adam and AdamW differ in how they apply weight decay, and so in their kernel.
template <class Options, class Kernel>
class AdamRule final : public UpdateRule {
 public:
  std::string describe(const GroupOptions& options) const override {
    const auto& adam = static_cast<const Options&>(options);
    const auto [beta1, beta2] = adam.betas();
    return c10::str(std::is_same_v<Options, torch::optim::AdamWOptions> ? "AdamW" : "Adam", ", lr ",
                    adam.lr(), ", betas ", beta1, " and ", beta2, ", eps ", adam.eps(), ", weight decay ",
                    adam.weight_decay(), adam.amsgrad() ? ", amsgrad" : "");
  }
  std::vector<std::string_view> state_names(const GroupOptions& options) const override {
    std::vector<std::string_view> names = all_state_names();
    if (!static_cast<const Options&>(options).amsgrad()) {
      names.pop_back();
    }
    return names;
  }
  std::vector<std::string_view> all_state_names() const override {
    return {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};
  }
  bool counts_steps() const override { return true; }

  void update(const GroupOptions& options, UpdateBatch& batch) const override {
    const auto& adam = static_cast<const Options&>(options);
    if (!takes<Kernel>(batch)) {
      update_ordinarily(adam, batch);
      return;
    }
    const auto [beta1, beta2] = adam.betas();
    Kernel::call(batch.values, batch.gradients, batch.states[0], batch.states[1],
                 adam.amsgrad() ? batch.states[2] : std::vector<torch::Tensor>(), batch.steps, adam.lr(),
                 beta1, beta2, adam.weight_decay(), adam.eps(), adam.amsgrad(), batch.maximize, {}, {});
  }
};

class AdagradRule final : public UpdateRule {
 public:
  std::string describe(const GroupOptions& options) const override {
    const auto& adagrad = static_cast<const torch::optim::AdagradOptions&>(options);
    return c10::str("Adagrad, lr ", adagrad.lr(), ", lr decay ", adagrad.lr_decay(), ", weight decay ",
                    adagrad.weight_decay(), ", initial accumulator ", adagrad.initial_accumulator_value(),
                    ", eps ", adagrad.eps());
  }
  std::vector<std::string_view> state_names(const GroupOptions& /*options*/) const override {
    return all_state_names();
  }
  std::vector<std::string_view> all_state_names() const override { return {"sum"}; }
  bool counts_steps() const override { return true; }

  void update(const GroupOptions& options, UpdateBatch& batch) const override {
    const auto& adagrad = static_cast<const torch::optim::AdagradOptions&>(options);
    if (batch.first) {
      for (torch::Tensor& sum : batch.states[0]) {
        sum.fill_(adagrad.initial_accumulator_value());
      }
    }
    if (!takes<at::_ops::_fused_adagrad_>(batch)) {
      update_ordinarily(adagrad, batch);
      return;
    }
    at::_ops::_fused_adagrad_::call(batch.values, batch.gradients, batch.states[0], batch.steps, adagrad.lr(),
                                    adagrad.lr_decay(), adagrad.weight_decay(), adagrad.eps(), batch.maximize,
                                    {}, {});
  }
};

}  // namespace

std::unique_ptr<UpdateRule> sgd_rule() {
  return std::make_unique<SgdRule>();
}
std::unique_ptr<UpdateRule> adam_rule() {
  return std::make_unique<AdamRule<torch::optim::AdamOptions, at::_ops::_fused_adam_>>();
}
std::unique_ptr<UpdateRule> adamw_rule() {
  return std::make_unique<AdamRule<torch::optim::AdamWOptions, at::_ops::_fused_adamw_>>();
}
std::unique_ptr<UpdateRule> adagrad_rule() {
  return std::make_unique<AdagradRule>();
}

}  // namespace lockstep
