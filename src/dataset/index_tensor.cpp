#include "dataset/index_tensor.h"

#include <torch/types.h>

#include "dataset/sample_error.h"

namespace lockstep {

torch::Tensor index_tensor(std::span<const std::uint64_t> indices, std::uint64_t size) {
  torch::Tensor tensor = torch::empty(static_cast<std::int64_t>(indices.size()), torch::kInt64);
  auto* place = tensor.data_ptr<std::int64_t>();
  for (const std::uint64_t index : indices) {
    require_sample(index, size);
    *place++ = static_cast<std::int64_t>(index);
  }
  return tensor;
}

}  // namespace lockstep
