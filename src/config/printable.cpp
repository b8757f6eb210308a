#include "config/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lockstep::config {
namespace {

constexpr std::size_t kLongestQuote = 120;

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// The length of the UTF-8 sequence that starts at `at`, or 0 if it is invalid: stray or missing continuation bytes,
// overlong forms, surrogates, or beyond U+10FFFF.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const std::uint8_t lead = byte_at(text, at);
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xC2 || lead > 0xF4) {
    return 0;
  }
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() - at < length) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  const std::uint8_t second = byte_at(text, at + 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  const bool too_high = lead == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_high ? 0 : length;
}

std::string escaped(std::uint8_t byte) {
  switch (byte) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", byte);
  }
}

std::string printable_up_to(std::size_t limit, std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (result.size() >= limit) {
      return result + "...";
    }
    const std::size_t length = sequence_length(text, at);
    const std::uint8_t byte = byte_at(text, at);
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      result += escaped(byte);
    } else {
      result += text.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

}  // namespace

std::size_t utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) {
      break;
    }
    at += length;
  }
  return at;
}

bool is_utf8(std::string_view text) {
  return utf8_prefix(text) == text.size();
}

std::string printable(std::string_view text) {
  return printable_up_to(std::string::npos, text);
}

std::string in_quotes(std::string_view text) {
  return "'" + printable_up_to(kLongestQuote, text) + "'";
}

}  // namespace lockstep::config
