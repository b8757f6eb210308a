#pragma once

// The part of a program's command line that concerns its ranks: --world.timeout 30s, --world.backend gloo. A program
// with its own options parses the rest.

#include "lockstep/config.h"
#include "lockstep/world.h"

namespace lockstep {

// Removes those arguments from `argv`, and reads the variables LOCKSTEP_WORLD_... from the environment. Throws
// Error{kInvalidConfig} with all problems, and leaves `argv` unchanged then.
WorldOptions take_world_arguments(int& argc, char** argv, const WorldOptions& defaults,
                                  const config::Environment& environment);

}  // namespace lockstep
