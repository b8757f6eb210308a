#pragma once

// Numbers in JSON that may be any double.

#include <nlohmann/json.hpp>
#include <optional>

namespace lockstep {

// Non-finite values are the text "nan", "inf" or "-inf": JSON has no literal for them, and null would not tell which it
// was.
nlohmann::ordered_json number_to_json(double number);

// Nothing if it is not a number.
std::optional<double> number_from_json(const nlohmann::ordered_json& json);

}  // namespace lockstep
