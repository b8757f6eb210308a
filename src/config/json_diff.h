#pragma once

// Compares two JSON texts, value by value. The texts may come from anywhere.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/config_settings.h"

namespace lockstep::config {

// Members keep their order.
using Json = nlohmann::ordered_json;

// Throws Error{kCorrupt}, as "`what` is not valid JSON", also for text nested so deeply that parsing it could overflow
// the stack.
Json parse_json(std::string_view what, std::string_view text);

// On a single line.
std::string to_literal(const Json& json);

// The values that differ, each under its full name: "optim.lr". A list is one value, and so is a text that is not an
// object, under an empty name. In the order of `a`, followed by values that only `b` has, in its order.
std::vector<Difference> diff_json(const Json& a, const Json& b);

}  // namespace lockstep::config
