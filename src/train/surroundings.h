#pragma once

// What a run ran on, for its page.

#include <string>
#include <utility>
#include <vector>

#include "lockstep/world.h"

namespace lockstep::train {

// Sets how many threads libtorch computes with: `wanted`, or as many as the environment or the cores of this rank say.
void set_compute_threads(int wanted, const World& world);

// "ranks" -> "2 on 1 host", "libtorch" -> "2.13.0", ...
std::vector<std::pair<std::string, std::string>> describe_surroundings(World& world, int argc,
                                                                       const char* const* argv);

}  // namespace lockstep::train
