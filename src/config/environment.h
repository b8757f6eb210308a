#pragma once

// Options from environment variables.

#include <string_view>

#include "config/findings.h"
#include "lockstep/config.h"

namespace lockstep::config {

// Other programs use the same prefix, so a variable that is not an option is ignored; a warning is given only if it
// looks like a mistyped one.
Findings read_environment(const Description& description, std::string_view prefix,
                          const Environment& environment);

}  // namespace lockstep::config
