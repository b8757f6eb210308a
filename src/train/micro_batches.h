#pragma once

// Cuts a rank's share of a batch into micro-batches.

#include <cstdint>
#include <vector>

#include "lockstep/loader.h"

namespace lockstep::train {

// Views of `batch`, in order, of `micro_batch` samples each; the last may be shorter. None if the batch is empty.
std::vector<Batch> cut(const Batch& batch, std::uint64_t micro_batch);

}  // namespace lockstep::train
