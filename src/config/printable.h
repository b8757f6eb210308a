#pragma once

// Text that came from outside, made fit for one line of a message.

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::config {

// How many bytes from the start on are valid UTF-8.
std::size_t utf8_prefix(std::string_view text);
bool is_utf8(std::string_view text);

// What can be printed stays, the rest becomes \n, \t or \x1b.
std::string printable(std::string_view text);

// printable() in single quotes, cut when it is long.
std::string in_quotes(std::string_view text);

}  // namespace lockstep::config
