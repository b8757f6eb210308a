#include "snapshot/state_copy.h"

#include <torch/torch.h>

namespace lockstep::snapshot {
namespace {

bool has_form(const torch::Tensor& copy, const torch::Tensor& live) {
  return copy.defined() && copy.scalar_type() == live.scalar_type() && copy.sizes() == live.sizes();
}

}  // namespace

void StateCopy::take(const NamedTensors& live) {
  const torch::NoGradGuard no_gradients;
  copies_.resize(live.size());
  for (std::size_t i = 0; i < live.size(); ++i) {
    NamedTensor& copy = copies_[i];
    copy.name = live[i].name;
    if (!has_form(copy.tensor, live[i].tensor)) {
      copy.tensor = torch::empty(live[i].tensor.sizes(), torch::TensorOptions(live[i].tensor.scalar_type()));
    }
    copy.tensor.copy_(live[i].tensor);
  }
}

void StateCopy::keep(const NamedTensors& still) {
  copies_.clear();
  for (const NamedTensor& item : still) {
    copies_.push_back({item.name, item.tensor.contiguous()});
  }
}

}  // namespace lockstep::snapshot
