#pragma once

// Makes external text safe for one line of a message.

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::config {

// How many bytes at the start are valid UTF-8.
std::size_t utf8_prefix(std::string_view text);
bool is_utf8(std::string_view text);

// Keeps printable characters; others become \n, \t or \x1b.
std::string printable(std::string_view text);

// printable() in single quotes, truncated if it is long.
std::string in_quotes(std::string_view text);

}  // namespace lockstep::config
