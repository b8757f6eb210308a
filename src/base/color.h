#pragma once

// Whether to write in colours: one rule for the log and all programs.

namespace lockstep {

// On a terminal, unless the user has set NO_COLOR to something. Empty counts as not set: so has it the convention.
bool takes_color(int fd);

}  // namespace lockstep
