#include "ddp/tensor_buffer.h"

#include <c10/util/StringUtil.h>

#include "lockstep/error.h"

namespace lockstep {

DType dtype_of(const torch::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case torch::kHalf:
      return DType::kF16;
    case torch::kBFloat16:
      return DType::kBF16;
    case torch::kFloat:
    case torch::kComplexFloat:
      return DType::kF32;
    case torch::kDouble:
    case torch::kComplexDouble:
      return DType::kF64;
    case torch::kByte:
    case torch::kBool:
      return DType::kU8;
    case torch::kChar:
      return DType::kI8;
    case torch::kInt:
      return DType::kI32;
    case torch::kLong:
      return DType::kI64;
    default:
      throw Error(ErrorCode::kUnsupported,
                  c10::str("collectives do not know tensors of ", c10::toString(tensor.scalar_type())));
  }
}

torch::ScalarType scalar_type_of(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return torch::kHalf;
    case DType::kBF16:
      return torch::kBFloat16;
    case DType::kF32:
      return torch::kFloat;
    case DType::kF64:
      return torch::kDouble;
    case DType::kU8:
      return torch::kByte;
    case DType::kI8:
      return torch::kChar;
    case DType::kI32:
      return torch::kInt;
    case DType::kI64:
      return torch::kLong;
  }
  throw Error(ErrorCode::kInternal, "a type that collectives do not know");
}

std::size_t real_count_of(const torch::Tensor& tensor) {
  return static_cast<std::size_t>(tensor.numel()) * (tensor.is_complex() ? 2 : 1);
}

Buffer buffer_of(const torch::Tensor& tensor) {
  if (!tensor.device().is_cpu() || !tensor.is_non_overlapping_and_dense()) {
    throw Error(ErrorCode::kInvalidArgument,
                c10::str("a collective takes dense tensors on the CPU, not one on ", tensor.device(),
                         " with strides ", tensor.strides()));
  }
  return {tensor.data_ptr(), real_count_of(tensor), dtype_of(tensor)};
}

Buffer bytes_of(const torch::Tensor& tensor) {
  return {tensor.data_ptr(), static_cast<std::size_t>(tensor.nbytes()), DType::kU8};
}

torch::Tensor view_as(const torch::Tensor& like, const Buffer& values, const SymmetricMemory& memory) {
  const auto options = torch::TensorOptions().dtype(like.scalar_type());
  const auto keep = [memory](void* /*data*/) {};
  if (like.is_non_overlapping_and_dense()) {
    return torch::from_blob(values.data(), like.sizes(), like.strides(), keep, options);
  }
  return torch::from_blob(values.data(), like.sizes(), keep, options);
}

torch::Tensor flat_view(const Buffer& values, const SymmetricMemory& memory) {
  const auto keep = [memory](void* /*data*/) {};
  return torch::from_blob(values.data(), {static_cast<std::int64_t>(values.count())}, keep,
                          torch::TensorOptions().dtype(scalar_type_of(values.dtype())));
}

}  // namespace lockstep
