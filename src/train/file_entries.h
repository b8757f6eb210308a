#pragma once

// Gathers the list of files that each rank has written.

#include <vector>

#include "checkpoint/manifest.h"
#include "lockstep/communicator.h"

namespace lockstep::train {

// The entries of all ranks, in rank order, on every rank. Collective.
std::vector<checkpoint::FileEntry> gather_entries(const std::vector<checkpoint::FileEntry>& mine,
                                                  Communicator& communicator);

}  // namespace lockstep::train
