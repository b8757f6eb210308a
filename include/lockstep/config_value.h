#pragma once

// The value of an option without its C++ type; everything behind the templates of config_option.h works on these types.
// A Value knows enough to print itself; a Type says which texts an option accepts.

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lockstep/config_byte_size.h"

namespace lockstep::config {

enum class Kind { kBool, kInteger, kFloat, kText, kPath, kDuration, kByteSize, kEnum };
enum class Arity { kOne, kOptional, kList };

struct Type {
  Kind kind = Kind::kText;
  Arity arity = Arity::kOne;
  int bits = 0;                      // integers and floats: 32 or 64
  bool is_signed = false;            // integers
  std::chrono::nanoseconds tick{1};  // durations: the field's unit
};

// An enumerator: its number for the field, its name for users.
struct Choice {
  std::int64_t number = 0;
  std::string name;

  friend bool operator==(const Choice&, const Choice&) = default;
  friend auto operator<=>(const Choice& a, const Choice& b) { return a.number <=> b.number; }
};

using Scalar = std::variant<bool, std::int64_t, std::uint64_t, float, double, std::string,
                            std::chrono::nanoseconds, ByteSize, Choice>;

// An empty optional, one scalar, or a list.
using Value = std::variant<std::monostate, Scalar, std::vector<Scalar>>;

// The canonical text, which the command line and the environment parse back to the same value. Durations and sizes use
// the largest unit that divides them: "5s", "25MiB". An empty optional is "none", a list is "1,2,3".
std::string to_text(const Scalar& scalar);
std::string to_text(const Value& value);

}  // namespace lockstep::config
