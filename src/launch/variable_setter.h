#pragma once

// Which process gave this one a variable of its environment. Hydra has no variable that tells its jobs apart; its
// process, the parent of all ranks on a host, does. A script between the two passes the variable on.

#include <string_view>

namespace lockstep {

// The nearest ancestor that was not itself started with the variable, or whose environment is not ours to read. 0 when
// that is outside of this container.
int find_variable_setter(std::string_view variable);

}  // namespace lockstep
