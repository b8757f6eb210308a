#pragma once

// What was requested but not measured: one line each, with the reason.

#include <string>
#include <vector>

#include "lockstep/error.h"

namespace lockstep::bench {

using LeftOut = std::vector<std::string>;

// For the end of a table.
std::string left_out_lines(const LeftOut& left_out);

// Error{kInvalidConfig} for an empty plan, with the first of the lines as the reason.
Error nothing_to_measure(const LeftOut& left_out);

}  // namespace lockstep::bench
