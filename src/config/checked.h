#pragma once

// Either a value or the reason why there is none: the result of reading a user's text.

#include <string>
#include <variant>

namespace lockstep::config {

// Why a text was refused, without its origin: "'fast' is not a number".
struct Problem {
  std::string text;
};

template <class T>
using Checked = std::variant<T, Problem>;

}  // namespace lockstep::config
