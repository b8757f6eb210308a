#include "optim/trained_parameters.h"

#include <unordered_set>

#include "lockstep/error.h"

namespace lockstep {

std::vector<torch::Tensor> trained_parameters(const std::vector<torch::Tensor>& all) {
  std::vector<torch::Tensor> trained;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const torch::Tensor& parameter : all) {
    if (parameter.requires_grad() && seen.insert(parameter.unsafeGetTensorImpl()).second) {
      trained.push_back(parameter);
    }
  }
  if (trained.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "the model has no parameter that wants a gradient: nothing to train");
  }
  return trained;
}

}  // namespace lockstep
