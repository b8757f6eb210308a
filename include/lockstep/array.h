#pragma once

// An array as read from a file: element type, shape and bytes. Code that computes with it wraps or copies the bytes.
//
//   const Array images = read_idx("train-images-idx3-ubyte.gz");
//   const std::span<const std::uint8_t> pixels = images.values<std::uint8_t>();

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class ElementType : std::uint8_t {
  kBool,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kF32,
  kF64,
};

std::string_view to_string(ElementType type);  // "bool", "i8", "f32", ...

// Bytes per element.
constexpr std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::kBool:
    case ElementType::kI8:
    case ElementType::kU8:
      return 1;
    case ElementType::kI16:
    case ElementType::kU16:
    case ElementType::kF16:
      return 2;
    case ElementType::kI32:
    case ElementType::kU32:
    case ElementType::kF32:
      return 4;
    case ElementType::kI64:
    case ElementType::kU64:
    case ElementType::kF64:
      return 8;
  }
  return 0;
}

// The ElementType of a C++ type. kF16 has no C++ type here; read its elements as bytes.
template <class T>
constexpr ElementType element_type_of() = delete;
template <>
constexpr ElementType element_type_of<bool>() {
  return ElementType::kBool;
}
template <>
constexpr ElementType element_type_of<std::int8_t>() {
  return ElementType::kI8;
}
template <>
constexpr ElementType element_type_of<std::int16_t>() {
  return ElementType::kI16;
}
template <>
constexpr ElementType element_type_of<std::int32_t>() {
  return ElementType::kI32;
}
template <>
constexpr ElementType element_type_of<std::int64_t>() {
  return ElementType::kI64;
}
template <>
constexpr ElementType element_type_of<std::uint8_t>() {
  return ElementType::kU8;
}
template <>
constexpr ElementType element_type_of<std::uint16_t>() {
  return ElementType::kU16;
}
template <>
constexpr ElementType element_type_of<std::uint32_t>() {
  return ElementType::kU32;
}
template <>
constexpr ElementType element_type_of<std::uint64_t>() {
  return ElementType::kU64;
}
template <>
constexpr ElementType element_type_of<float>() {
  return ElementType::kF32;
}
template <>
constexpr ElementType element_type_of<double>() {
  return ElementType::kF64;
}

struct Array {
  ElementType type = ElementType::kU8;
  std::vector<std::uint64_t> shape = {};  // empty for a scalar
  std::vector<std::byte> bytes = {};      // row-major, in this machine's byte order

  // Elements, not bytes.
  std::size_t count() const { return bytes.size() / size_of(type); }

  // Throws Error{kInvalidArgument} when T is not the array's element type.
  template <class T>
  std::span<const T> values() const {
    require_type(element_type_of<T>());
    return {reinterpret_cast<const T*>(bytes.data()), count()};
  }

  void require_type(ElementType asked) const;
};

// The size in bytes of an array of this shape; empty when it does not fit in 64 bits.
std::optional<std::uint64_t> bytes_of(std::span<const std::uint64_t> shape, ElementType type);

// "u8 [60000, 28, 28]"
std::string shape_text(const Array& array);

}  // namespace lockstep
