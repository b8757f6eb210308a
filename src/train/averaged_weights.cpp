#include "train/averaged_weights.h"

#include <torch/torch.h>

namespace lockstep::train {

AveragedWeights::AveragedWeights(torch::nn::Module& model, double decay) : decay_(decay) {
  const torch::NoGradGuard no_gradients;
  for (const torch::Tensor& parameter : model.parameters()) {
    if (parameter.is_floating_point()) {
      parameters_.push_back(parameter);
      averages_.push_back(parameter.detach().clone());
    }
  }
}

void AveragedWeights::reset() {
  const torch::NoGradGuard no_gradients;
  at::_foreach_copy_(averages_, parameters_);
}

void AveragedWeights::update() {
  const torch::NoGradGuard no_gradients;
  at::_foreach_lerp_(averages_, parameters_, 1 - decay_);
}

// The memory changes hands, and nothing is copied. Hooks and gradients belong to the tensors, which stay the model's.
void AveragedWeights::exchange() {
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const torch::Tensor held = parameters_[i].detach();
    parameters_[i].set_data(averages_[i]);
    averages_[i] = held;
  }
}

}  // namespace lockstep::train
