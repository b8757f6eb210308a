#pragma once

// Finds the process that gave this one an environment variable. Hydra sets no variable that tells its jobs apart, but
// its process, the parent of all ranks on a host, does. A script in between passes the variable on.

#include <string_view>

namespace lockstep {

// The nearest ancestor that was not itself started with the variable, or whose environment this process may not read. 0
// if that is outside this container.
int find_variable_setter(std::string_view variable);

}  // namespace lockstep
