#include <torch/types.h>

#include <string>

#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

std::string number_text(const torch::Tensor& number) {
  return number.is_floating_point() ? c10::str(number.item<double>()) : c10::str(number.item<std::int64_t>());
}

}  // namespace

void check_labels(const torch::Tensor& labels, std::int64_t classes) {
  if (classes < 1) {
    throw Error(ErrorCode::kInvalidArgument, c10::str("there cannot be ", classes, " classes"));
  }
  if (labels.dim() == 0) {
    throw Error(ErrorCode::kInvalidArgument, "a single label has no dimension that counts samples");
  }
  const torch::Tensor flat =
      labels.detach().reshape(-1).to(labels.is_floating_point() ? torch::kFloat64 : torch::kInt64);
  // NaN equals nothing, not even itself.
  const torch::Tensor wrong =
      (flat < 0).logical_or(flat >= classes).logical_or(flat.floor() != flat).nonzero();
  if (wrong.numel() == 0) {
    return;
  }
  const auto place = wrong[0].item<std::int64_t>();
  throw Error(ErrorCode::kCorrupt,
              c10::str("sample ", place / (flat.numel() / labels.size(0)), " has the label ",
                       number_text(flat[place]), ", and the classes are 0 to ", classes - 1));
}

}  // namespace lockstep
