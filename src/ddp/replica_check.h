#pragma once

// Whether replicas still are replicas.

#include <vector>

#include "ddp/parameter_set.h"
#include "lockstep/communicator.h"

namespace lockstep {

// Collective: compares a hash of the bits of all tensors. Throws Error{kMismatch} on all ranks when any differ, with the
// first tensor that does and the ranks that hold something else.
void require_equal_bits(const std::vector<NamedTensor>& tensors, Communicator& communicator);

}  // namespace lockstep
