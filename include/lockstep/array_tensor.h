#pragma once

// From the array of a file to a tensor.
//
//   const torch::Tensor images = to_tensor(read_idx("train-images-idx3-ubyte.gz"));

#include <torch/types.h>

#include "lockstep/array.h"

namespace lockstep {

// The same numbers in the same shape. The memory of an array that is moved here becomes the tensor's. Copied are only
// those types whose like libtorch has no arithmetic for: u16 becomes int32, u32 and u64 become int64. Throws
// Error{kUnsupported} when a number or a length is beyond int64.
torch::Tensor to_tensor(Array array);

}  // namespace lockstep
