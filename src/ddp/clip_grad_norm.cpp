#include "ddp/clip_grad_norm.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <unordered_set>

#include "lockstep/error.h"

namespace lockstep {
namespace {

// The tensors to scale: dense gradients themselves, the values of sparse ones.
std::vector<torch::Tensor> gradient_values(const std::vector<torch::Tensor>& parameters) {
  std::vector<torch::Tensor> values;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const torch::Tensor& parameter : parameters) {
    torch::Tensor gradient = parameter.grad();
    if (!gradient.defined() || !seen.insert(parameter.unsafeGetTensorImpl()).second) {
      continue;
    }
    if (gradient.is_sparse() && !gradient.is_coalesced()) {
      gradient = gradient.coalesce();
      const_cast<torch::Tensor&>(parameter).mutable_grad() = gradient;
    }
    values.push_back(gradient.is_sparse() ? gradient._values() : gradient);
  }
  return values;
}

}  // namespace

double clip_gradients(const std::vector<torch::Tensor>& parameters, double max_norm, double norm_type,
                      bool error_if_nonfinite) {
  const torch::NoGradGuard no_grad;
  const std::vector<torch::Tensor> gradients = gradient_values(parameters);
  if (gradients.empty()) {
    return 0;
  }
  std::vector<torch::Tensor> norms;
  for (const torch::Tensor& gradient : gradients) {
    norms.push_back(torch::linalg_vector_norm(gradient, norm_type));
  }
  const torch::Tensor norm = torch::linalg_vector_norm(torch::stack(norms), norm_type);
  const double total = norm.item<double>();
  if (error_if_nonfinite && !std::isfinite(total)) {
    throw Error(ErrorCode::kInvalidArgument,
                "the norm of the gradients is not finite: look for an overflow in the loss, or lower the "
                "learning rate");
  }
  const torch::Tensor factor = (max_norm / (norm + 1e-6)).clamp_max(1.0);
  if (factor.item<double>() != 1.0) {
    for (const torch::Tensor& gradient : gradients) {
      gradient.detach().mul_(factor);
    }
  }
  return total;
}

}  // namespace lockstep
