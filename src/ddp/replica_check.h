#pragma once

// Checks that replicas are still identical.

#include <vector>

#include "ddp/parameter_set.h"
#include "lockstep/communicator.h"

namespace lockstep {

// Collective: compares a hash of the bits of all tensors. When any differ, throws Error{kMismatch} on all ranks, with
// the first tensor that differs and the ranks that hold other values.
void require_equal_bits(const std::vector<NamedTensor>& tensors, Communicator& communicator);

}  // namespace lockstep
