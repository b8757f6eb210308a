#include "convert/pickled_globals.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace lockstep::convert {
namespace {

using checkpoint::TensorType;

struct NamedCallable {
  std::string_view module;
  std::string_view name;
  Callable callable;
};

constexpr std::array kCallables = {
    NamedCallable{"collections", "OrderedDict", Callable::kOrderedDict},
    NamedCallable{"torch._utils", "_rebuild_tensor_v2", Callable::kRebuildTensor},
    NamedCallable{"torch._utils", "_rebuild_parameter", Callable::kRebuildParameter},
};

struct NamedStorage {
  std::string_view name;
  TensorType type;
};

constexpr std::array kStorages = {
    NamedStorage{"DoubleStorage", TensorType::kF64}, NamedStorage{"FloatStorage", TensorType::kF32},
    NamedStorage{"HalfStorage", TensorType::kF16},   NamedStorage{"BFloat16Storage", TensorType::kBF16},
    NamedStorage{"LongStorage", TensorType::kI64},   NamedStorage{"IntStorage", TensorType::kI32},
    NamedStorage{"ShortStorage", TensorType::kI16},  NamedStorage{"CharStorage", TensorType::kI8},
    NamedStorage{"ByteStorage", TensorType::kU8},    NamedStorage{"BoolStorage", TensorType::kBool},
};

}  // namespace

std::optional<PickledValue> find_global(std::string_view module, std::string_view name) {
  for (const NamedCallable& each : kCallables) {
    if (each.module == module && each.name == name) {
      return each.callable;
    }
  }
  for (const NamedStorage& each : kStorages) {
    if (module == kTorchModule && each.name == name) {
      return StorageClass{each.type};
    }
  }
  return std::nullopt;
}

std::string_view storage_class_name(TensorType type) {
  const auto* row = std::find_if(kStorages.begin(), kStorages.end(),
                                 [type](const NamedStorage& each) { return each.type == type; });
  LOCKSTEP_CHECK(row != kStorages.end());
  return row->name;
}

}  // namespace lockstep::convert
