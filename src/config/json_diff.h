#pragma once

// Two JSON texts, value by value. The texts may come from anywhere.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/config_settings.h"

namespace lockstep::config {

// Members keep their order.
using Json = nlohmann::ordered_json;

// Throws Error{kCorrupt}, as "`what` is not valid JSON", also for what is nested so deeply that reading it could end the
// process.
Json parse_json(std::string_view what, std::string_view text);

// On one line, whatever is in it.
std::string to_literal(const Json& json);

// The values that differ, each under its full name: "optim.lr". A list is one value, and so is what is no object at all,
// under no name. In the order of `a`, then that of `b` for what only `b` has.
std::vector<Difference> diff_json(const Json& a, const Json& b);

}  // namespace lockstep::config
