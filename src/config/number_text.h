#pragma once

// Reads numbers as people write them: 1_000_000, 0xff, 1e-3, and numbers with a unit such as 1.5s. Reads text exactly,
// or reports the kind of mistake; the caller words the message.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace lockstep::config {

struct IntegerText {
  bool negative = false;
  std::uint64_t magnitude = 0;
  bool overflow = false;  // the magnitude exceeds 64 bits
};

// Decimal, or 0x, 0o, 0b; underscores may separate digits. Nothing if the text is not an integer.
std::optional<IntegerText> read_integer(std::string_view text);

enum class FloatMistake { kMalformed, kOutOfRange };

// T is float or double. Accepts inf and nan too.
template <class T>
std::variant<T, FloatMistake> read_float(std::string_view text);

struct Unit {
  std::string_view suffix;
  std::uint64_t factor;
};

struct ScaledText {
  bool negative = false;
  std::uint64_t amount = 0;  // in units of factor 1
};

enum class ScaledMistake {
  kMalformed,    // not a number, or an unknown suffix
  kUnitMissing,  // a bare number, where `units` has no empty suffix
  kNotWhole,     // 0.5 of the smallest unit
  kTooLarge,     // exceeds 64 bits
};

// A decimal number and one of the units, exactly: nothing is rounded.
std::variant<ScaledText, ScaledMistake> read_scaled(std::string_view text, std::span<const Unit> units);

}  // namespace lockstep::config
