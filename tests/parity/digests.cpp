#include "parity/digests.h"

#include <torch/torch.h>

namespace lockstep::testing {
namespace {

constexpr std::int64_t kBase = 6364136223846793005;

}  // namespace

Digests::Digests(std::size_t longest)
    : powers_(torch::full({static_cast<std::int64_t>(longest / sizeof(std::int64_t))}, kBase, torch::kInt64)
                  .cumprod(0)) {}

torch::Tensor Digests::of(const std::vector<torch::Tensor>& tensors) const {
  std::vector<torch::Tensor> numbers;
  for (const torch::Tensor& tensor : tensors) {
    numbers.push_back(one(tensor.detach()));
  }
  return torch::stack(numbers);
}

torch::Tensor Digests::one(const torch::Tensor& tensor) const {
  const torch::Tensor words = tensor.flatten().view(torch::kInt64);
  return words.dot(powers_.narrow(0, 0, words.numel()));
}

}  // namespace lockstep::testing
