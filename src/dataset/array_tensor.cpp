#include "lockstep/array_tensor.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

// `what` is "number" or "length".
std::int64_t checked(std::uint64_t value, const char* what) {
  if (value > kMost) {
    throw Error(ErrorCode::kUnsupported, c10::str("libtorch has no ", what, " as large as ", value));
  }
  return static_cast<std::int64_t>(value);
}

std::vector<std::int64_t> lengths_of(const Array& array) {
  std::vector<std::int64_t> lengths;
  for (const std::uint64_t length : array.shape) {
    lengths.push_back(checked(length, "length"));
  }
  return lengths;
}

torch::Tensor adopt(Array array, torch::Dtype dtype) {
  const std::vector<std::int64_t> lengths = lengths_of(array);
  const auto owner = std::make_shared<Array>(std::move(array));
  return torch::from_blob(
      owner->bytes.data(), lengths, [owner](void*) {}, dtype);
}

template <class To, class From>
torch::Tensor copy_as(const Array& array, torch::Dtype dtype) {
  torch::Tensor tensor = torch::empty(lengths_of(array), dtype);
  const std::span<const From> values = array.values<From>();
  std::transform(values.begin(), values.end(), tensor.data_ptr<To>(),
                 [](From value) { return static_cast<To>(checked(value, "number")); });
  return tensor;
}

}  // namespace

torch::Tensor to_tensor(Array array) {
  switch (array.type) {
    case ElementType::kBool:
      return adopt(std::move(array), torch::kBool);
    case ElementType::kI8:
      return adopt(std::move(array), torch::kInt8);
    case ElementType::kI16:
      return adopt(std::move(array), torch::kInt16);
    case ElementType::kI32:
      return adopt(std::move(array), torch::kInt32);
    case ElementType::kI64:
      return adopt(std::move(array), torch::kInt64);
    case ElementType::kU8:
      return adopt(std::move(array), torch::kUInt8);
    case ElementType::kF16:
      return adopt(std::move(array), torch::kFloat16);
    case ElementType::kF32:
      return adopt(std::move(array), torch::kFloat32);
    case ElementType::kF64:
      return adopt(std::move(array), torch::kFloat64);
    case ElementType::kU16:
      return copy_as<std::int32_t, std::uint16_t>(array, torch::kInt32);
    case ElementType::kU32:
      return copy_as<std::int64_t, std::uint32_t>(array, torch::kInt64);
    case ElementType::kU64:
      return copy_as<std::int64_t, std::uint64_t>(array, torch::kInt64);
  }
  throw Error(ErrorCode::kInvalidArgument, "an array of no known type");
}

}  // namespace lockstep
