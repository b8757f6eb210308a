#pragma once

// What toml11 has to say about a syntax error, in one phrase.

#include <string>
#include <string_view>

namespace lockstep::config {

// toml11 explains itself over several lines with a picture of the source:
//
//   [error] toml::parse_array: missing array separator `,` after a value
//    --> run.toml
//      |
//    4 |  2 3]
//      |    ^--- should be `,`
//
// The phrase is the first line without its prefixes, or, where nothing is left of it, what the arrow says.
std::string toml_complaint(std::string_view explanation);

}  // namespace lockstep::config
