#pragma once

// Describes the environment of a run, for its page.

#include <string>
#include <utility>
#include <vector>

#include "lockstep/world.h"

namespace lockstep::train {

// Sets the number of libtorch's compute threads: `wanted`, or else what the environment or this rank's cores suggest.
void set_compute_threads(int wanted, const World& world);

// "ranks" -> "2 on 1 host", "libtorch" -> "2.13.0", ...
std::vector<std::pair<std::string, std::string>> describe_surroundings(World& world, int argc,
                                                                       const char* const* argv);

}  // namespace lockstep::train
