#pragma once

// Finds out whether a picture is well-formed, as far as brackets go.

#include <string>
#include <string_view>

namespace lockstep::bench {

// The first thing that is wrong with it; empty: nothing.
std::string svg_fault(std::string_view svg);

}  // namespace lockstep::bench
