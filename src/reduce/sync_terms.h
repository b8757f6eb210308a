#pragma once

// What the ranks of a GradientSync must have in common, and what none of them may ask for.

#include <vector>

#include "lockstep/communicator.h"
#include "lockstep/gradient_sync.h"

namespace lockstep {

// Collective. Throws Error{kMismatch} on every rank when they differ. What is wrong on one rank only is a
// difference, so that every rank hears of it; what is wrong on all of them is Error{kInvalidArgument}.
void agree_on_terms(Communicator& communicator, const std::vector<GradientSpec>& gradients,
                    const GradientSyncOptions& options);

}  // namespace lockstep
