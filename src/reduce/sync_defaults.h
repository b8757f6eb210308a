#pragma once

// What a GradientSync does where its options leave the choice. The figures come from `lockstep bench step`; see
// docs/adr/0007-gradients-in-buckets.md.

#include "lockstep/communicator.h"
#include "lockstep/gradient_sync.h"

namespace lockstep {

// Bytes at which buckets are full, one after the other.
std::vector<std::size_t> default_bucket_caps(std::string_view backend);

// A thread that advances buckets pays only when it does not take a core from a rank that computes.
Progress choose_progress(int usable_cores, int ranks);

GradientSyncOptions with_defaults(GradientSyncOptions options, const Communicator& communicator);

}  // namespace lockstep
