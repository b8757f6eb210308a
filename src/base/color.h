#pragma once

// Whether to use colours: one rule for the log and all programs.

namespace lockstep {

// True for a terminal, unless NO_COLOR is set and not empty, as the convention says.
bool takes_color(int fd);

}  // namespace lockstep
