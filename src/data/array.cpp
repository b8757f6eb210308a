#include "lockstep/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "lockstep/error.h"

namespace lockstep {

std::string_view to_string(ElementType type) {
  switch (type) {
    case ElementType::kBool:
      return "bool";
    case ElementType::kI8:
      return "i8";
    case ElementType::kI16:
      return "i16";
    case ElementType::kI32:
      return "i32";
    case ElementType::kI64:
      return "i64";
    case ElementType::kU8:
      return "u8";
    case ElementType::kU16:
      return "u16";
    case ElementType::kU32:
      return "u32";
    case ElementType::kU64:
      return "u64";
    case ElementType::kF16:
      return "f16";
    case ElementType::kF32:
      return "f32";
    case ElementType::kF64:
      return "f64";
  }
  return "unknown type";
}

void Array::require_type(ElementType asked) const {
  if (asked != type) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("an array of {} was read as {}", to_string(type), to_string(asked)));
  }
}

std::optional<std::uint64_t> bytes_of(std::span<const std::uint64_t> shape, ElementType type) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    return 0;
  }
  std::uint64_t bytes = size_of(type);
  for (const std::uint64_t length : shape) {
    if (bytes > std::numeric_limits<std::uint64_t>::max() / length) {
      return std::nullopt;
    }
    bytes *= length;
  }
  return bytes;
}

std::string shape_text(const Array& array) {
  return fmt::format("{} [{}]", to_string(array.type), fmt::join(array.shape, ", "));
}

}  // namespace lockstep
