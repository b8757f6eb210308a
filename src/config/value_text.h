#pragma once

// Converts text to a value that the option accepts: checks type, range and choices, whatever the source of the text.

#include <string>
#include <string_view>

#include "config/checked.h"
#include "lockstep/config_option.h"

namespace lockstep::config {

// The text of an empty optional, everywhere.
inline constexpr std::string_view kNoneText = "none";

// One scalar: the option's value, or an element of its list.
Checked<Scalar> parse_scalar(const OptionSpec& spec, std::string_view text);

// The whole value: "none" for an optional, commas between the elements of a list.
Checked<Value> parse_value(const OptionSpec& spec, std::string_view text);

// Empty, or why the option does not accept this value of its type: range, choices, infinity.
std::string refusal(const OptionSpec& spec, const Scalar& scalar);

// "[1, 1048576] samples"
std::string range_text(const OptionSpec& spec);

// "constant, cosine"
std::string choices_text(const OptionSpec& spec, std::string_view separator = ", ");

}  // namespace lockstep::config
