#pragma once

// Converts an array read from a file to a tensor.
//
//   const torch::Tensor images = to_tensor(read_idx("train-images-idx3-ubyte.gz"));

#include <torch/types.h>

#include "lockstep/array.h"

namespace lockstep {

// The same numbers in the same shape. An array that is moved in hands its memory to the tensor. Only types that
// libtorch has no arithmetic for are copied: u16 becomes int32, u32 and u64 become int64. Throws Error{kUnsupported}
// when a number or a length does not fit in an int64.
torch::Tensor to_tensor(Array array);

}  // namespace lockstep
