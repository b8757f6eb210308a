#include "convert/pickle_value.h"

#include <array>

namespace lockstep::convert {

std::string_view kind_of(const PickledValue& value) {
  // In the order of the variant.
  static constexpr std::array<std::string_view, std::variant_size_v<PickledValue>> kNames = {
      "None",   "a bool", "an integer", "a float", "a text",    "a tuple",
      "a list", "a dict", "a function", "a class", "a storage", "a tensor"};
  return kNames.at(value.index());
}

}  // namespace lockstep::convert
