#pragma once

// The pieces of a rank's share of a batch that go through the model one after the other.

#include <cstdint>
#include <vector>

#include "lockstep/loader.h"

namespace lockstep::train {

// Views of `batch`, in its order: `micro_batch` samples each, the last one what is left. None of an empty batch.
std::vector<Batch> cut(const Batch& batch, std::uint64_t micro_batch);

}  // namespace lockstep::train
