#include "parity/comparison.h"

#include <c10/util/StringUtil.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace lockstep::testing {
namespace {

bool same_kind(const torch::Tensor& one, const torch::Tensor& other) {
  return one.sizes() == other.sizes() && one.scalar_type() == other.scalar_type();
}

bool same_bits(const torch::Tensor& one, const torch::Tensor& other) {
  const torch::Tensor a = one.contiguous();
  const torch::Tensor b = other.contiguous();
  return a.nbytes() == 0 || std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0;
}

double norm_of(const torch::Tensor& tensor) {
  return tensor.norm().item<double>();
}

// Not a number when one of them holds one.
double relative_difference(const torch::Tensor& actual, const torch::Tensor& expected) {
  const torch::Tensor wide = expected.to(torch::kFloat64);
  const double difference = norm_of(actual.to(torch::kFloat64) - wide);
  return difference == 0 ? 0 : difference / norm_of(wide);
}

std::string describe(const torch::Tensor& tensor) {
  return tensor.defined() ? c10::str(c10::toString(tensor.scalar_type()), " ", tensor.sizes()) : "nothing";
}

}  // namespace

void Comparison::compare(std::string_view name, const torch::Tensor& actual, const torch::Tensor& expected) {
  count_ += expected.defined() ? 1 : 0;
  if (!actual.defined() && !expected.defined()) {
    return;
  }
  if (!actual.defined() || !expected.defined() || !same_kind(actual, expected)) {
    fail(name, c10::str(describe(actual), " instead of ", describe(expected)));
    return;
  }
  if (same_bits(actual, expected)) {
    return;
  }
  const torch::NoGradGuard no_grad;
  const double difference = relative_difference(actual, expected);
  worst_ = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst_, difference);
  if (tolerance_ == 0) {
    fail(name, c10::str("not the same bits, relative difference ", difference));
  } else if (!(difference <= tolerance_)) {
    fail(name, c10::str("relative difference ", difference, " is more than ", tolerance_));
  }
}

void Comparison::fail(std::string_view name, const std::string& reason) {
  if (first_failure_.empty()) {
    first_failure_ = c10::str(name, ": ", reason);
  }
}

}  // namespace lockstep::testing
