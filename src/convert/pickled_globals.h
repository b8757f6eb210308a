#pragma once

// The names that a pickle of a state_dict may contain, and their meanings. This list is complete.

#include <optional>
#include <string_view>

#include "convert/pickle_value.h"

namespace lockstep::convert {

inline constexpr std::string_view kTorchModule = "torch";

// Nothing for any other name.
std::optional<PickledValue> find_global(std::string_view module, std::string_view name);

// The class in kTorchModule: "FloatStorage".
std::string_view storage_class_name(checkpoint::TensorType type);

}  // namespace lockstep::convert
