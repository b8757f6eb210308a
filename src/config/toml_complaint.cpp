#include "config/toml_complaint.h"

#include <cstddef>

#include "config/printable.h"

namespace lockstep::config {
namespace {

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

// The text after the first `mark`, or all of it if there is none.
std::string_view after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? text : text.substr(at + mark.size());
}

}  // namespace

std::string toml_complaint(std::string_view explanation) {
  std::string_view phrase = after(first_line(explanation), "[error] ");
  if (phrase.starts_with("toml::")) {
    phrase = after(phrase, ": ");
  }
  if (phrase.empty()) {
    phrase = first_line(after(explanation, "^--- "));
  }
  return printable(phrase);
}

}  // namespace lockstep::config
