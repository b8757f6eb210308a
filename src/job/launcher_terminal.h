#pragma once

// The terminal on which a launcher shows its workers' messages. The messages reach it through a pipe, line by line,
// which does not suit a line that is redrawn. For that, a worker may open the terminal itself.

#include <string_view>

#include "base/unique_fd.h"

namespace lockstep {

// Names it in the worker's environment.
inline constexpr std::string_view kTerminalVariable = "LOCKSTEP_TERMINAL";

// Empty if there is no launcher, it has no terminal, or this process may not write to it.
UniqueFd open_launcher_terminal();

}  // namespace lockstep
