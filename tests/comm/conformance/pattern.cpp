#include "comm/conformance/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "comm/kernels/half_float.h"

namespace lockstep::testing {
namespace {

template <class T>
void put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// A quotient is rounded as the kernels promise: halves from f32, integers towards zero.
void encode(std::byte* to, DType dtype, std::int64_t sum, std::int64_t divisor) {
  const float quotient = static_cast<float>(sum) / static_cast<float>(divisor);
  switch (dtype) {
    case DType::kF16:
      return put(to, narrow_f16(quotient));
    case DType::kBF16:
      return put(to, narrow_bf16(quotient));
    case DType::kF32:
      return put(to, quotient);
    case DType::kF64:
      return put(to, static_cast<double>(sum) / static_cast<double>(divisor));
    case DType::kU8:
      return put(to, static_cast<std::uint8_t>(sum / divisor));
    case DType::kI8:
      return put(to, static_cast<std::int8_t>(sum / divisor));
    case DType::kI32:
      return put(to, static_cast<std::int32_t>(sum / divisor));
    case DType::kI64:
      return put(to, sum / divisor);
  }
}

std::int64_t combine(ReduceOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kAvg:
      return a + b;
    case ReduceOp::kMin:
      return std::min(a, b);
    case ReduceOp::kMax:
      return std::max(a, b);
    case ReduceOp::kProduct:
      return a * b;
  }
  return 0;
}

}  // namespace

std::int64_t pattern_value(int rank, std::size_t index, ReduceOp op) {
  const std::size_t mixed = index * 7 + static_cast<std::size_t>(rank) * 3 + index / 13;
  return static_cast<std::int64_t>(op == ReduceOp::kProduct ? 1 + mixed % 2 : mixed % 11);
}

std::vector<std::byte> pattern_bytes(int rank, std::size_t first, std::size_t count, DType dtype,
                                     ReduceOp op) {
  const std::size_t size = size_of(dtype);
  std::vector<std::byte> bytes(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    encode(bytes.data() + i * size, dtype, pattern_value(rank, first + i, op), 1);
  }
  return bytes;
}

Combined::Combined(int ranks, std::size_t first, std::size_t count, ReduceOp op)
    : values_(count), divisor_(op == ReduceOp::kAvg ? ranks : 1) {
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t value = pattern_value(0, first + i, op);
    for (int rank = 1; rank < ranks; ++rank) {
      value = combine(op, value, pattern_value(rank, first + i, op));
    }
    values_[i] = value;
  }
}

std::vector<std::byte> Combined::bytes(DType dtype) const {
  const std::size_t size = size_of(dtype);
  std::vector<std::byte> bytes(values_.size() * size);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    encode(bytes.data() + i * size, dtype, values_[i], divisor_);
  }
  return bytes;
}

void expect_bytes(const std::byte* actual, const std::vector<std::byte>& expected, DType dtype) {
  if (expected.empty() || std::memcmp(actual, expected.data(), expected.size()) == 0) {
    return;
  }
  const auto difference = std::mismatch(expected.begin(), expected.end(), actual);
  const auto element = static_cast<std::size_t>(difference.first - expected.begin()) / size_of(dtype);
  ADD_FAILURE() << "element " << element << " of " << expected.size() / size_of(dtype) << " x "
                << to_string(dtype) << " is wrong";
}

}  // namespace lockstep::testing
