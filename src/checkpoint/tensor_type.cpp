#include "checkpoint/tensor_type.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace lockstep::checkpoint {
namespace {

struct NamedTensorType {
  TensorType type;
  std::string_view name;
  std::size_t bytes;
};

// In the order of the enumerators.
constexpr std::array kTensorTypes = {
    NamedTensorType{TensorType::kF64, "F64", 8}, NamedTensorType{TensorType::kF32, "F32", 4},
    NamedTensorType{TensorType::kF16, "F16", 2}, NamedTensorType{TensorType::kBF16, "BF16", 2},
    NamedTensorType{TensorType::kI64, "I64", 8}, NamedTensorType{TensorType::kI32, "I32", 4},
    NamedTensorType{TensorType::kI16, "I16", 2}, NamedTensorType{TensorType::kI8, "I8", 1},
    NamedTensorType{TensorType::kU8, "U8", 1},   NamedTensorType{TensorType::kBool, "BOOL", 1},
};

const NamedTensorType& row_of(TensorType type) {
  const NamedTensorType& row = kTensorTypes.at(static_cast<std::size_t>(type));
  LOCKSTEP_CHECK(row.type == type);
  return row;
}

}  // namespace

std::string_view to_string(TensorType type) {
  return row_of(type).name;
}

std::optional<TensorType> tensor_type_of(std::string_view name) {
  const auto* row = std::find_if(kTensorTypes.begin(), kTensorTypes.end(),
                                 [name](const NamedTensorType& type) { return type.name == name; });
  return row != kTensorTypes.end() ? std::optional(row->type) : std::nullopt;
}

std::size_t size_of(TensorType type) {
  return row_of(type).bytes;
}

std::optional<std::uint64_t> bytes_of(TensorType type, std::span<const std::uint64_t> shape) {
  std::uint64_t bytes = size_of(type);
  for (const std::uint64_t length : shape) {
    if (__builtin_mul_overflow(bytes, length, &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

}  // namespace lockstep::checkpoint
