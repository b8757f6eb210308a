#pragma once

// Converts tensors to buffers of collectives, and back.

#include <torch/types.h>

#include "lockstep/buffer.h"
#include "lockstep/comm_hook.h"
#include "lockstep/symmetric_memory.h"

namespace lockstep {

torch::ScalarType scalar_type_of(DType dtype);

// The bytes of any dense CPU tensor, whatever its type.
Buffer bytes_of(const torch::Tensor& tensor);

// The number of elements in the tensor's DType: complex numbers are pairs.
std::size_t real_count_of(const torch::Tensor& tensor);

// A tensor with the shape and type of `like` over `values`, which are in `memory`; keeps `memory` alive. It has the
// strides of `like` if those leave no gaps, else it is contiguous.
torch::Tensor view_as(const torch::Tensor& like, const Buffer& values, const SymmetricMemory& memory);

// All of `values` as one dimension.
torch::Tensor flat_view(const Buffer& values, const SymmetricMemory& memory);

}  // namespace lockstep
