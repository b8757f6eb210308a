#pragma once

// A tensor as in PyTorch, a strided view of a storage, converted to row-major bytes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/tensor_type.h"

namespace lockstep::convert {

struct StridedTensor {
  checkpoint::TensorType type = checkpoint::TensorType::kU8;
  std::int64_t offset = 0;  // in elements, like the strides
  std::vector<std::int64_t> sizes = {};
  std::vector<std::int64_t> strides = {};
  std::span<const std::byte> storage = {};
};

// Why it is invalid: a negative number, elements outside its storage, or more elements than the storage has; nothing if
// it is valid. The functions below require a valid tensor.
std::optional<std::string> problem_of(const StridedTensor& tensor);

std::uint64_t bytes_of(const StridedTensor& tensor);

// Its bytes in the storage, if they are row-major there.
std::optional<std::span<const std::byte>> rows_in_storage(const StridedTensor& tensor);

// Copies its elements in row-major order. `rows` has as many bytes as the tensor.
void copy_rows(const StridedTensor& tensor, std::span<std::byte> rows);

}  // namespace lockstep::convert
