#pragma once

// Checks what the ranks of a GradientSync must agree on, and which options are invalid.

#include <vector>

#include "lockstep/communicator.h"
#include "lockstep/gradient_sync.h"

namespace lockstep {

// Collective. Throws Error{kMismatch} on every rank when ranks differ. An error on one rank only is a difference, so
// every rank hears of it; an error on all ranks is Error{kInvalidArgument}.
void agree_on_terms(Communicator& communicator, const std::vector<GradientSpec>& gradients,
                    const GradientSyncOptions& options);

}  // namespace lockstep
