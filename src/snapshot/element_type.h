#pragma once

// Converts element types between files and libtorch.

#include <c10/core/ScalarType.h>

#include <optional>

#include "checkpoint/tensor_type.h"

namespace lockstep::snapshot {

// Nothing for a type that the file format does not have.
std::optional<checkpoint::TensorType> file_type_of(c10::ScalarType type);

c10::ScalarType torch_type_of(checkpoint::TensorType type);

}  // namespace lockstep::snapshot
