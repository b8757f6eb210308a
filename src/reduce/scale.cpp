#include "reduce/scale.h"

#include <fmt/format.h>

#include <span>

#include "comm/kernels/half_float.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

template <class T>
std::span<T> elements(const Buffer& buffer) {
  return {reinterpret_cast<T*>(buffer.data()), buffer.count()};
}

template <class T>
void scale_floats(const Buffer& buffer, T factor) {
  for (T& value : elements<T>(buffer)) {
    value *= factor;
  }
}

}  // namespace

void scale(const Buffer& buffer, double factor) {
  const auto narrow = static_cast<float>(factor);
  switch (buffer.dtype()) {
    case DType::kF32:
      return scale_floats<float>(buffer, narrow);
    case DType::kF64:
      return scale_floats<double>(buffer, factor);
    case DType::kF16:
      for (F16& value : elements<F16>(buffer)) {
        value.bits = narrow_f16(widen_f16(value.bits) * narrow);
      }
      return;
    case DType::kBF16:
      for (BF16& value : elements<BF16>(buffer)) {
        value.bits = narrow_bf16(widen_bf16(value.bits) * narrow);
      }
      return;
    default:
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("cannot scale {}: not a floating-point type", to_string(buffer.dtype())));
  }
}

}  // namespace lockstep
