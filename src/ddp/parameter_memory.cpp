#include "ddp/parameter_memory.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <utility>

#include "ddp/tensor_buffer.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// The bytes from the first element of a tensor to its last.
std::pair<const std::byte*, const std::byte*> extent_of(const torch::Tensor& tensor) {
  std::int64_t last = 0;
  for (std::int64_t dimension = 0; dimension < tensor.dim(); ++dimension) {
    last += (tensor.size(dimension) - 1) * tensor.stride(dimension);
  }
  const auto* first = static_cast<const std::byte*>(tensor.data_ptr());
  return {first, first + (last + 1) * tensor.element_size()};
}

}  // namespace

void ParameterMemory::require_apart() const {
  std::vector<const NamedTensor*> sorted;
  for (const NamedTensor& parameter : parameters_) {
    if (parameter.tensor.numel() > 0) {
      sorted.push_back(&parameter);
    }
  }
  std::sort(sorted.begin(), sorted.end(), [](const NamedTensor* left, const NamedTensor* right) {
    return extent_of(left->tensor) < extent_of(right->tensor);
  });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (extent_of(sorted[i]->tensor).first < extent_of(sorted[i - 1]->tensor).second) {
      throw Error(ErrorCode::kInvalidArgument,
                  c10::str("parameters '", sorted[i - 1]->name, "' and '", sorted[i]->name,
                           "' share memory without being one tensor: a sharded optimizer would part them. "
                           "Register the same tensor under both names"));
    }
  }
}

Buffer ParameterMemory::beside(const Buffer& place, const GradientSync& gradients) const {
  return {memory_.data() + (place.data() - gradients.memory().data()), place.count(), place.dtype()};
}

void ParameterMemory::allocate(const GradientSync& gradients) {
  require_apart();
  memory_ = communicator_.allocate(gradients.memory().bytes());
  places_.clear();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    places_.push_back(view_as(parameters_[i].tensor, beside(gradients.gradient(i), gradients), memory_));
  }
  generation_ = gradients.generation();
}

void ParameterMemory::follow(const GradientSync& gradients) {
  const torch::NoGradGuard no_grad;
  if (generation_ != gradients.generation()) {
    allocate(gradients);
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor& parameter = parameters_[i].tensor;
    if (parameter.data_ptr() != places_[i].data_ptr()) {
      places_[i].copy_(parameter.detach());
      parameter.set_data(places_[i]);
    }
  }
}

}  // namespace lockstep
