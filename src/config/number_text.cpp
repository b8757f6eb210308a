#include "config/number_text.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>

namespace lockstep::config {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// The text without the underscores between its digits; nothing if one is elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      result += text[i];
    } else if (i == 0 || i + 1 == text.size() || !is_hex_digit(text[i - 1]) || !is_hex_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return result;
}

// Removes the sign and returns whether it was a minus.
bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  return negative;
}

int take_base(std::string_view& text) {
  for (const auto& [prefix, base] : {std::pair("0x", 16), std::pair("0o", 8), std::pair("0b", 2)}) {
    if (text.starts_with(prefix)) {
      text.remove_prefix(2);
      return base;
    }
  }
  return 10;
}

std::optional<std::uint64_t> multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::nullopt : std::optional(product);
}

// `digits`, read as the decimals of a number, times `factor`: ("5", 1024) is 512. With at most nine decimals and the
// factors in use, no step overflows 64 bits.
std::variant<std::uint64_t, ScaledMistake> scale_decimals(std::string_view digits, std::uint64_t factor) {
  constexpr std::size_t kMostDecimals = 9;
  digits = digits.substr(0, digits.find_last_not_of('0') + 1);
  if (digits.size() > kMostDecimals) {
    return ScaledMistake::kNotWhole;
  }
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
  for (const char digit : digits) {
    numerator = numerator * 10 + static_cast<std::uint64_t>(digit - '0');
    denominator *= 10;
  }
  const std::uint64_t common = std::gcd(factor, denominator);
  const auto product = multiply(numerator, factor / common);
  if (!product) {
    return ScaledMistake::kTooLarge;
  }
  if (*product % (denominator / common) != 0) {
    return ScaledMistake::kNotWhole;
  }
  return *product / (denominator / common);
}

// "1" and "5" of 1.5, and the suffix after them, without leading spaces.
struct DecimalParts {
  std::string_view whole;
  std::string_view decimals;
  std::string_view suffix;
};

std::optional<DecimalParts> split_decimal(std::string_view text) {
  auto take_digits = [&text](bool underscores) {
    const auto* end = std::find_if(text.begin(), text.end(),
                                   [=](char c) { return !is_digit(c) && !(underscores && c == '_'); });
    const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    return digits;
  };
  DecimalParts parts;
  parts.whole = take_digits(true);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.decimals = take_digits(false);
    if (parts.decimals.empty()) {
      return std::nullopt;
    }
  }
  if (parts.whole.empty() && parts.decimals.empty()) {
    return std::nullopt;
  }
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  parts.suffix = text;
  return parts;
}

}  // namespace

std::optional<IntegerText> read_integer(std::string_view text) {
  IntegerText result;
  result.negative = take_sign(text);
  const int base = take_base(text);
  const auto digits = without_underscores(text);
  if (!digits || digits->empty() || !is_hex_digit(digits->front())) {
    return std::nullopt;
  }
  const char* end = digits->data() + digits->size();
  const auto [stop, error] = std::from_chars(digits->data(), end, result.magnitude, base);
  if (stop != end) {
    return std::nullopt;
  }
  result.overflow = error == std::errc::result_out_of_range;
  return result;
}

template <class T>
std::variant<T, FloatMistake> read_float(std::string_view text) {
  const bool negative = take_sign(text);
  const auto digits = without_underscores(text);
  if (!digits || digits->starts_with('-')) {
    return FloatMistake::kMalformed;
  }
  T number = 0;
  const char* end = digits->data() + digits->size();
  const auto [stop, error] = std::from_chars(digits->data(), end, number);
  if (error == std::errc::invalid_argument || stop != end) {
    return FloatMistake::kMalformed;
  }
  if (error == std::errc::result_out_of_range) {
    return FloatMistake::kOutOfRange;
  }
  return negative ? -number : number;
}

template std::variant<float, FloatMistake> read_float<float>(std::string_view);
template std::variant<double, FloatMistake> read_float<double>(std::string_view);

std::variant<ScaledText, ScaledMistake> read_scaled(std::string_view text, std::span<const Unit> units) {
  ScaledText result;
  result.negative = take_sign(text);
  const auto parts = split_decimal(text);
  if (!parts) {
    return ScaledMistake::kMalformed;
  }
  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.suffix == parts->suffix; });
  if (unit == units.end()) {
    return parts->suffix.empty() ? ScaledMistake::kUnitMissing : ScaledMistake::kMalformed;
  }
  const auto whole = read_integer(parts->whole.empty() ? "0" : parts->whole);
  if (!whole) {
    return ScaledMistake::kMalformed;
  }
  const auto decimals = scale_decimals(parts->decimals, unit->factor);
  if (const auto* mistake = std::get_if<ScaledMistake>(&decimals)) {
    return *mistake;
  }
  const auto amount = multiply(whole->magnitude, unit->factor);
  const auto rest = std::get<std::uint64_t>(decimals);
  if (whole->overflow || !amount || *amount > std::numeric_limits<std::uint64_t>::max() - rest) {
    return ScaledMistake::kTooLarge;
  }
  result.amount = *amount + rest;
  return result;
}

}  // namespace lockstep::config
