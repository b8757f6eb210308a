#pragma once

// The element types that collectives support, and the reduction operations.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep {

enum class DType : std::uint8_t { kF16, kBF16, kF32, kF64, kU8, kI8, kI32, kI64 };
inline constexpr int kDTypeCount = 8;

// Sums of kF16 and kBF16 are accumulated in f32 and rounded once. Integers wrap around. kAvg is the sum divided by the
// number of ranks (integers: the exact sum, rounded towards zero). Elements are combined in a fixed binary tree over
// the ranks, so a result has the same bits on every rank and in every run.
enum class ReduceOp : std::uint8_t { kSum, kAvg, kMin, kMax, kProduct };
inline constexpr int kReduceOpCount = 5;

// Bytes per element.
constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kU8:
    case DType::kI8:
      return 1;
    case DType::kF16:
    case DType::kBF16:
      return 2;
    case DType::kF32:
    case DType::kI32:
      return 4;
    case DType::kF64:
    case DType::kI64:
      return 8;
  }
  return 0;
}

std::string_view to_string(DType dtype);  // "f16", "bf16", "f32", ...
std::string_view to_string(ReduceOp op);  // "sum", "avg", ...

// Storage for half-precision numbers; they have no arithmetic.
struct F16 {
  std::uint16_t bits;
};
struct BF16 {
  std::uint16_t bits;
};

// The DType of a C++ type: dtype_of<float>() is DType::kF32. Unsupported types do not compile.
template <class T>
constexpr DType dtype_of() = delete;
template <>
constexpr DType dtype_of<F16>() {
  return DType::kF16;
}
template <>
constexpr DType dtype_of<BF16>() {
  return DType::kBF16;
}
template <>
constexpr DType dtype_of<float>() {
  return DType::kF32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::kF64;
}
template <>
constexpr DType dtype_of<std::uint8_t>() {
  return DType::kU8;
}
template <>
constexpr DType dtype_of<std::byte>() {
  return DType::kU8;
}
template <>
constexpr DType dtype_of<std::int8_t>() {
  return DType::kI8;
}
template <>
constexpr DType dtype_of<std::int32_t>() {
  return DType::kI32;
}
template <>
constexpr DType dtype_of<std::int64_t>() {
  return DType::kI64;
}

}  // namespace lockstep
