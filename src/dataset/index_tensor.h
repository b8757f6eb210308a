#pragma once

// The indices of a batch in the form that libtorch selects rows with.

#include <torch/types.h>

#include <cstdint>
#include <span>

namespace lockstep {

// Throws Error{kInvalidArgument} with the first that is not below `size`, as get_batch() has to.
torch::Tensor index_tensor(std::span<const std::uint64_t> indices, std::uint64_t size);

}  // namespace lockstep
