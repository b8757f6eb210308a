#pragma once

// Finds a rank on which a condition holds, so that all ranks can act on it.

#include <string_view>

#include "lockstep/communicator.h"

namespace lockstep {

// The first rank on which `here` is true, or the number of ranks if there is none. Collective.
int first_rank_where(bool here, Communicator& communicator, std::string_view label);

}  // namespace lockstep
