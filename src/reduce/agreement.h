#pragma once

// Verifies that all ranks agree before anything depends on it. Each rank gives its view as lines of text; when they
// agree, only a hash of them is sent.

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/communicator.h"

namespace lockstep {

// Collective. When ranks differ, throws Error{kMismatch} on every rank, with the first line that differs, as this rank
// and as another one has it. `what` names the kind of line: "parameter".
void require_equal_lines(Communicator& communicator, std::string_view what,
                         const std::vector<std::string>& lines);

}  // namespace lockstep
