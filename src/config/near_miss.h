#pragma once

// Finds the known name closest to a mistyped one.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::config {

// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The name at most two edits (one for names of up to three letters) from `wanted`; the first of equals.
std::optional<std::string> nearest_name(std::string_view wanted, const std::vector<std::string>& names);

// The same for dotted names. A `wanted` without a dot may also match the last part of a name: "shedule" finds
// "optim.schedule". A match of the whole name beats an equally good one of the last part.
std::optional<std::string> nearest_dotted_name(std::string_view wanted,
                                               const std::vector<std::string>& names);

// "; did you mean 'X'?", or empty.
std::string suggestion(const std::optional<std::string>& name);

}  // namespace lockstep::config
