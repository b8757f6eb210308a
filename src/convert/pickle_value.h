#pragma once

// The values in a pickle of a state_dict. They refer to each other by their index in a list, so a pickle that contains
// itself, or is nested a million levels deep, costs only memory.

#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "checkpoint/tensor_type.h"

namespace lockstep::convert {

using ValueId = std::uint32_t;

struct PickledNone {};

struct PickledText {
  std::string_view text = {};  // in the pickle
};

struct PickledTuple {
  std::vector<ValueId> items = {};
};

struct PickledList {
  std::vector<ValueId> items = {};
};

// A dict or an OrderedDict. If a key occurs twice, the later one counts.
struct PickledDict {
  std::vector<std::pair<ValueId, ValueId>> items = {};
};

// The functions and classes that may be named. None is ever looked up, let alone called: each stands for what the
// reader does instead.
enum class Callable : std::uint8_t { kOrderedDict, kRebuildTensor, kRebuildParameter };

struct StorageClass {
  checkpoint::TensorType type = checkpoint::TensorType::kU8;
};

// Elements in a separate entry of the archive.
struct PickledStorage {
  checkpoint::TensorType type = checkpoint::TensorType::kU8;
  std::string_view key = {};  // the name of the entry
  std::int64_t elements = 0;
};

// As stated in the pickle; whether it fits its storage is checked when it is read.
struct PickledTensor {
  PickledStorage storage = {};
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes = {};
  std::vector<std::int64_t> strides = {};
};

using PickledValue =
    std::variant<PickledNone, bool, std::int64_t, double, PickledText, PickledTuple, PickledList, PickledDict,
                 Callable, StorageClass, PickledStorage, PickledTensor>;

// "a dict", "an integer", ...
std::string_view kind_of(const PickledValue& value);

struct Pickle {
  std::vector<PickledValue> values = {};
  ValueId root = 0;

  const PickledValue& at(ValueId id) const { return values[id]; }
};

}  // namespace lockstep::convert
