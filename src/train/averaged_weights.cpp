#include "train/averaged_weights.h"

#include <torch/nn/module.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <unordered_map>

namespace lockstep::train {

AveragedWeights::AveragedWeights(torch::nn::Module& model, double decay) : decay_(decay) {
  const torch::NoGradGuard no_gradients;
  std::unordered_map<const c10::TensorImpl*, std::size_t> known;
  for (const auto& item : model.named_parameters()) {
    const torch::Tensor& parameter = item.value();
    if (!parameter.is_floating_point()) {
      continue;
    }
    const auto [entry, is_new] = known.emplace(parameter.unsafeGetTensorImpl(), parameters_.size());
    if (is_new) {
      parameters_.push_back(parameter);
      averages_.push_back(parameter.detach().clone());
    }
    names_.push_back({item.key(), entry->second});
  }
}

snapshot::NamedTensors AveragedWeights::named() const {
  snapshot::NamedTensors tensors;
  for (const Name& name : names_) {
    tensors.push_back({name.text, averages_[name.index]});
  }
  return tensors;
}

void AveragedWeights::reset() {
  const torch::NoGradGuard no_gradients;
  at::_foreach_copy_(averages_, parameters_);
}

void AveragedWeights::update() {
  const torch::NoGradGuard no_gradients;
  at::_foreach_lerp_(averages_, parameters_, 1 - decay_);
}

// Swaps the memory and copies nothing. Hooks and gradients belong to the tensors, which remain the model's.
void AveragedWeights::exchange() {
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const torch::Tensor held = parameters_[i].detach();
    parameters_[i].set_data(averages_[i]);
    averages_[i] = held;
  }
}

}  // namespace lockstep::train
