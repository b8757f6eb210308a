#pragma once

// Either a value or the reason why there is none: what reading a user's text gives.

#include <string>
#include <variant>

namespace lockstep::config {

// Why a text was refused, without saying whose it was: "'fast' is not a number".
struct Problem {
  std::string text;
};

template <class T>
using Checked = std::variant<T, Problem>;

}  // namespace lockstep::config
