#pragma once

// Condenses toml11's explanation of a syntax error into one phrase.

#include <string>
#include <string_view>

namespace lockstep::config {

// toml11 explains an error in several lines, with an excerpt of the source:
//
//   [error] toml::parse_array: missing array separator `,` after a value
//    --> run.toml
//      |
//    4 |  2 3]
//      |    ^--- should be `,`
//
// The phrase is the first line without its prefixes, or, if nothing is left of it, the text of the arrow.
std::string toml_complaint(std::string_view explanation);

}  // namespace lockstep::config
