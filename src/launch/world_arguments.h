#pragma once

// The part of a program's command line that is about its ranks: --world.timeout 30s, --world.backend gloo. A program with
// options of its own parses the rest.

#include "lockstep/config.h"
#include "lockstep/world.h"

namespace lockstep {

// Takes those arguments out of `argv`, and the variables LOCKSTEP_WORLD_... from the environment. Throws
// Error{kInvalidConfig} with all problems; `argv` is then as it was.
WorldOptions take_world_arguments(int& argc, char** argv, const WorldOptions& defaults,
                                  const config::Environment& environment);

}  // namespace lockstep
