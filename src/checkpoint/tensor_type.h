#pragma once

// The element types of tensors in files, with their safetensors names.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lockstep::checkpoint {

enum class TensorType : std::uint8_t { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8, kBool };

std::string_view to_string(TensorType type);  // "F64", "BF16", "BOOL", ...
std::optional<TensorType> tensor_type_of(std::string_view name);

// Bytes per element.
std::size_t size_of(TensorType type);

// The bytes of a tensor of that shape; nothing if they, or an intermediate product, exceed 64 bits.
std::optional<std::uint64_t> bytes_of(TensorType type, std::span<const std::uint64_t> shape);

}  // namespace lockstep::checkpoint
