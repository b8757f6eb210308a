#pragma once

// The files that each rank has written, told to all of them.

#include <vector>

#include "checkpoint/manifest.h"
#include "lockstep/communicator.h"

namespace lockstep::train {

// Those of all ranks, on every rank, in the order of ranks. Collective.
std::vector<checkpoint::FileEntry> gather_entries(const std::vector<checkpoint::FileEntry>& mine,
                                                  Communicator& communicator);

}  // namespace lockstep::train
