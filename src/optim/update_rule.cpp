#include "optim/update_rule.h"

#include <ATen/ops/_fused_adagrad.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <optional>
#include <tuple>

namespace lockstep {
namespace {

using GroupOptions = torch::optim::OptimizerOptions;

class SgdRule final : public UpdateRule {
 public:
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
    at::_fused_sgd_(batch.values, batch.gradients,
                    batch.states.empty() ? std::vector<torch::Tensor>() : batch.states[0], sgd.weight_decay(),
                    sgd.momentum(), sgd.lr(), sgd.dampening(), sgd.nesterov(), batch.maximize, batch.first);
  }
};

// Adam and AdamW differ in where weight decay goes, and so in their kernel.
template <class Options, auto kKernel>
class AdamRule final : public UpdateRule {
 public:
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
    const auto [beta1, beta2] = adam.betas();
    kKernel(batch.values, batch.gradients, batch.states[0], batch.states[1],
            adam.amsgrad() ? batch.states[2] : std::vector<torch::Tensor>(), batch.steps, adam.lr(), beta1,
            beta2, adam.weight_decay(), adam.eps(), adam.amsgrad(), batch.maximize, {}, {});
  }
};

// The kernels are overloaded for a learning rate that is a tensor.
using AdamKernel = void (*)(at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                            at::TensorList, double, double, double, double, double, bool, bool,
                            const std::optional<at::Tensor>&, const std::optional<at::Tensor>&);
constexpr AdamKernel kAdam = at::_fused_adam_;
constexpr AdamKernel kAdamW = at::_fused_adamw_;

class AdagradRule final : public UpdateRule {
 public:
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
    at::_fused_adagrad_(batch.values, batch.gradients, batch.states[0], batch.steps, adagrad.lr(),
                        adagrad.lr_decay(), adagrad.weight_decay(), adagrad.eps(), batch.maximize);
  }
};

}  // namespace

std::unique_ptr<UpdateRule> sgd_rule() {
  return std::make_unique<SgdRule>();
}
std::unique_ptr<UpdateRule> adam_rule() {
  return std::make_unique<AdamRule<torch::optim::AdamOptions, kAdam>>();
}
std::unique_ptr<UpdateRule> adamw_rule() {
  return std::make_unique<AdamRule<torch::optim::AdamWOptions, kAdamW>>();
}
std::unique_ptr<UpdateRule> adagrad_rule() {
  return std::make_unique<AdagradRule>();
}

}  // namespace lockstep
