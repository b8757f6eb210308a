#include "config/toml_nesting.h"

#include <algorithm>

namespace lockstep::config {
namespace {

// The end of a string that starts at `at`: after its closing quotes or, if there are none, at the end of its line (of
// the text, for a string with three quotes); toml11 stops there too.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool is_long = at + 2 < text.size() && text[at + 1] == quote && text[at + 2] == quote;
  const std::size_t width = is_long ? 3 : 1;
  for (std::size_t i = at + width; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text[i] == '\n' && !is_long) {
      return i;
    } else if (text[i] == quote && (!is_long || text.substr(i, 3) == text.substr(at, 3))) {
      return i + width;
    }
  }
  return text.size();
}

}  // namespace

std::optional<std::size_t> line_nested_beyond(std::string_view text, std::size_t limit) {
  std::size_t line = 1;
  std::size_t brackets = 0;
  std::size_t dots = 0;  // since the last character that ends a key
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    std::size_t next = i + 1;
    if (c == '"' || c == '\'') {
      next = end_of_string(text, i);
    } else if (c == '#') {
      next = std::min(text.find('\n', i), text.size());
    } else if (c == '[' || c == '{') {
      ++brackets;
      dots = 0;
    } else if (c == ']' || c == '}') {
      brackets -= brackets > 0 ? 1 : 0;
    } else if (c == '.') {
      ++dots;
    } else if (c == '=' || c == ',' || c == '\n') {
      dots = 0;
    }
    if (brackets > limit || dots > limit) {
      return line;
    }
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                text.begin() + static_cast<std::ptrdiff_t>(next), '\n'));
    i = next;
  }
  return std::nullopt;
}

}  // namespace lockstep::config
