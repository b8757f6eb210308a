#pragma once

// libtorch's random numbers of all ranks, as a checkpoint has them: "rank-0", "rank-1", ...

#include <string>
#include <vector>

#include "lockstep/communicator.h"
#include "snapshot/named_tensors.h"

namespace lockstep::train {

// Collective.
snapshot::NamedTensors gather_random_states(Communicator& communicator);

// What keeps `states` from being those of so many ranks, a line each. With fewer of them a rank would begin anew unsaid.
std::vector<std::string> random_misfits(const snapshot::TensorsByName& states, int ranks);

// Takes those of this rank. There are no misfits.
void restore_random_state(const snapshot::TensorsByName& states, int rank);

}  // namespace lockstep::train
