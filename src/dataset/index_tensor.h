#pragma once

// Converts the indices of a batch to a tensor for selecting rows.

#include <torch/types.h>

#include <cstdint>
#include <span>

namespace lockstep {

// Throws Error{kInvalidArgument} with the first index that is not below `size`, as get_batch() must.
torch::Tensor index_tensor(std::span<const std::uint64_t> indices, std::uint64_t size);

}  // namespace lockstep
