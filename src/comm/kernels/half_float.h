#pragma once

// f16 and bf16 to f32 and back, as integer arithmetic without branches so that the loops around it vectorise on
// every instruction set to the same bits. Narrowing rounds to nearest, ties to even. No denormal f32 appears in
// between, so a flush-to-zero mode does not change the result.
//
// Private to the kernels: everything here has internal linkage on purpose, since each kernel file is compiled
// for another instruction set and must not share code with the others.

#include <cstdint>

namespace lockstep {
namespace {

inline float float_from_bits(std::uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

inline std::uint32_t bits_from_float(float value) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float widen_bf16(std::uint16_t half) {
  return float_from_bits(static_cast<std::uint32_t>(half) << 16);
}

inline std::uint16_t narrow_bf16(float value) {
  const std::uint32_t bits = bits_from_float(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
  return static_cast<std::uint16_t>(is_nan ? 0x7fc0U | ((bits >> 16) & 0x8000U) : rounded);
}

inline float widen_f16(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t magnitude = half & 0x7fffU;
  const std::uint32_t shifted = magnitude << 13;
  // Small: put the fraction behind the exponent of 2^-14 and take 2^-14 away again.
  const std::uint32_t small =
      bits_from_float(float_from_bits(shifted + (113U << 23)) - float_from_bits(113U << 23));
  const std::uint32_t normal = shifted + (112U << 23);
  const std::uint32_t infinite = shifted | 0x7f800000U;
  const std::uint32_t finite = magnitude < 0x0400U ? small : normal;
  return float_from_bits(sign | (magnitude >= 0x7c00U ? infinite : finite));
}

inline std::uint16_t narrow_f16(float value) {
  const std::uint32_t bits = bits_from_float(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Below 2^-14 the result has no implicit bit: adding 0.5 lets the adder round at the right place.
  const std::uint32_t small = bits_from_float(float_from_bits(magnitude) + 0.5F) - bits_from_float(0.5F);
  const std::uint32_t normal = (magnitude - (112U << 23) + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  const std::uint32_t infinite = magnitude > 0x7f800000U ? 0x7e00U : 0x7c00U;
  const std::uint32_t finite = magnitude < 0x38800000U ? small : normal;
  return static_cast<std::uint16_t>(sign | (magnitude >= 0x47800000U ? infinite : finite));
}

}  // namespace
}  // namespace lockstep
