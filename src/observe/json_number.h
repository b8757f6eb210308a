#pragma once

// Numbers in JSON that may be anything a double may be.

#include <nlohmann/json.hpp>
#include <optional>

namespace lockstep {

// What is not finite is the text "nan", "inf" or "-inf": JSON has no word for it, and null would not tell which it was.
nlohmann::ordered_json number_to_json(double number);

// Nothing for what is no number.
std::optional<double> number_from_json(const nlohmann::ordered_json& json);

}  // namespace lockstep
