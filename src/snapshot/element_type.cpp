#include "snapshot/element_type.h"

#include <array>
#include <string>
#include <utility>

#include "lockstep/error.h"

namespace lockstep::snapshot {
namespace {

using checkpoint::TensorType;

constexpr std::array<std::pair<TensorType, c10::ScalarType>, 10> kTypes = {{
    {TensorType::kF64, c10::ScalarType::Double},
    {TensorType::kF32, c10::ScalarType::Float},
    {TensorType::kF16, c10::ScalarType::Half},
    {TensorType::kBF16, c10::ScalarType::BFloat16},
    {TensorType::kI64, c10::ScalarType::Long},
    {TensorType::kI32, c10::ScalarType::Int},
    {TensorType::kI16, c10::ScalarType::Short},
    {TensorType::kI8, c10::ScalarType::Char},
    {TensorType::kU8, c10::ScalarType::Byte},
    {TensorType::kBool, c10::ScalarType::Bool},
}};

}  // namespace

std::optional<TensorType> file_type_of(c10::ScalarType type) {
  for (const auto& [of_file, of_torch] : kTypes) {
    if (of_torch == type) {
      return of_file;
    }
  }
  return std::nullopt;
}

c10::ScalarType torch_type_of(TensorType type) {
  for (const auto& [of_file, of_torch] : kTypes) {
    if (of_file == type) {
      return of_torch;
    }
  }
  throw Error(ErrorCode::kInternal, "libtorch has no type for " + std::string(to_string(type)));
}

}  // namespace lockstep::snapshot
