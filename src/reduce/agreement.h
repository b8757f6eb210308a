#pragma once

// Makes sure that all ranks mean the same, before anything depends on it. Each rank gives its view as lines of
// text; in the good case only a hash of them travels.

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/communicator.h"

namespace lockstep {

// Collective. Throws Error{kMismatch} on every rank when they differ, with the first line that does, as this rank
// and as another has it. `what` says what the lines are: "parameter".
void require_equal_lines(Communicator& communicator, std::string_view what,
                         const std::vector<std::string>& lines);

}  // namespace lockstep
