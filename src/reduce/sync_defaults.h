#pragma once

// The defaults of a GradientSync where its options leave the choice. Measured with `lockstep bench step`; see
// docs/adr/0007-gradients-in-buckets.md.

#include "lockstep/communicator.h"
#include "lockstep/gradient_sync.h"

namespace lockstep {

// The sizes in bytes at which successive buckets are full.
std::vector<std::size_t> default_bucket_caps(std::string_view backend);

// A progress thread pays off only if it does not take a core from a rank that computes.
Progress choose_progress(int usable_cores, int ranks);

GradientSyncOptions with_defaults(GradientSyncOptions options, const Communicator& communicator);

}  // namespace lockstep
