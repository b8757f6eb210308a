#pragma once

// The text of --help.

#include <string>

#include "lockstep/config.h"

namespace lockstep::config {

std::string help_text(const Description& description, const ProgramInfo& program);

}  // namespace lockstep::config
