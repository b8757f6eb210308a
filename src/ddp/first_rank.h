#pragma once

// Which rank has something, so that all can act on it.

#include <string_view>

#include "lockstep/communicator.h"

namespace lockstep {

// The first rank for which `here` holds, the number of ranks when there is none. Collective.
int first_rank_where(bool here, Communicator& communicator, std::string_view label);

}  // namespace lockstep
