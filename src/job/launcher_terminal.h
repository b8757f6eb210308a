#pragma once

// The terminal that a launcher shows its workers' messages on. They reach it through a pipe, line by line, which is no
// place for a line that is drawn again and again; for that a worker may open the terminal itself.

#include <string_view>

#include "base/unique_fd.h"

namespace lockstep {

// Names it in the worker's environment.
inline constexpr std::string_view kTerminalVariable = "LOCKSTEP_TERMINAL";

// Empty when there is no launcher, or it has no terminal, or none that this process may write to.
UniqueFd open_launcher_terminal();

}  // namespace lockstep
