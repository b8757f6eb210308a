#pragma once

// What was asked for but not measured: a line for each that says why.

#include <string>
#include <vector>

#include "lockstep/error.h"

namespace lockstep::bench {

using LeftOut = std::vector<std::string>;

// For the end of a table.
std::string left_out_lines(const LeftOut& left_out);

// Error{kInvalidConfig} for a plan without anything in it, with the first of the lines as the reason.
Error nothing_to_measure(const LeftOut& left_out);

}  // namespace lockstep::bench
