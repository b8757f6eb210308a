#pragma once

// Determines how deep a TOML text nests before it is parsed: toml11 recurses, and a file of a thousand brackets must be
// a problem with a line number rather than a stack overflow.

#include <cstddef>
#include <optional>
#include <string_view>

namespace lockstep::config {

// The line where arrays, inline tables or the parts of a dotted key first nest deeper than `limit`, if any do.
std::optional<std::size_t> line_nested_beyond(std::string_view text, std::size_t limit);

}  // namespace lockstep::config
