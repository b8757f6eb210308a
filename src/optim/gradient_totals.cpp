#include "optim/gradient_totals.h"

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <array>
#include <cmath>

namespace lockstep {
namespace {

// Computes the norm of 16-bit gradients in float32; 16 bits are too few.
double norm_of(const torch::Tensor& gradient) {
  const torch::ScalarType type = gradient.scalar_type();
  return at::linalg_vector_norm(gradient, 2, {}, /*keepdim=*/false,
                                at::isReducedFloatingType(type) ? torch::kFloat : type)
      .item<double>();
}

}  // namespace

GradientTotals total_gradients(const std::vector<std::vector<torch::Tensor>>& pieces,
                               const torch::Tensor& inverse_scale, Communicator& communicator) {
  double overflows = 0;
  double squares = 0;
  for (const std::vector<torch::Tensor>& bucket : pieces) {
    if (inverse_scale.defined() && !bucket.empty()) {
      torch::Tensor found = torch::zeros({}, torch::kFloat);
      at::_amp_foreach_non_finite_check_and_unscale_(bucket, found, inverse_scale);
      overflows += found.item<float>();
    }
    for (const torch::Tensor& gradient : bucket) {
      squares += std::pow(norm_of(gradient), 2);
    }
  }
  std::array<double, 2> totals = {overflows, squares};
  communicator.all_reduce(totals, ReduceOp::kSum, {.label = "norm of gradients"});
  return {.overflowed = totals[0] > 0, .norm = std::sqrt(totals[1])};
}

}  // namespace lockstep
