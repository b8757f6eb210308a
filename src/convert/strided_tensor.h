#pragma once

// A tensor as PyTorch has it, a window with strides into a storage, made into rows of bytes.

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
  std::int64_t offset = 0;  // like the strides in elements
  std::vector<std::int64_t> sizes = {};
  std::vector<std::int64_t> strides = {};
  std::span<const std::byte> storage = {};
};

// Why it cannot be: a negative number, elements outside of its storage, or more elements than that has; nothing when it
// is sound. Only of a sound one may the others be asked.
std::optional<std::string> problem_of(const StridedTensor& tensor);

std::uint64_t bytes_of(const StridedTensor& tensor);

// Its bytes in the storage, when they lie there row by row.
std::optional<std::span<const std::byte>> rows_in_storage(const StridedTensor& tensor);

// Copies its elements, row by row. `rows` has as many bytes as the tensor.
void copy_rows(const StridedTensor& tensor, std::span<std::byte> rows);

}  // namespace lockstep::convert
