#pragma once

// The libtorch random number generators of all ranks, as stored in a checkpoint: "rank-0", "rank-1", ...

#include <string>
#include <vector>

#include "lockstep/communicator.h"
#include "snapshot/named_tensors.h"

namespace lockstep::train {

// Collective.
snapshot::NamedTensors gather_random_states(Communicator& communicator);

// Why `states` are not those of `ranks` ranks, one line per problem. With too few states, a rank would silently restart
// its random numbers.
std::vector<std::string> random_misfits(const snapshot::TensorsByName& states, int ranks);

// Restores this rank's state. Requires that random_misfits() is empty.
void restore_random_state(const snapshot::TensorsByName& states, int rank);

}  // namespace lockstep::train
