#pragma once

// The backend for ranks on several hosts: libtorch's own Gloo. Linking this layer registers it as "gloo".

#include <chrono>
#include <memory>

#include "base/deadline.h"
#include "comm/backend_registry.h"

namespace lockstep {

// Rank 0 holds the store on context.master_address and no other address; every rank takes connections on
// context.bind_address only, or, when that is empty, on the address from which it reaches the master. Where
// TORCHELASTIC_USE_AGENT_STORE=True is set, as torchrun does, the launcher holds the store already.
//
// Meets the other ranks; collective. Throws Error{kTimeout} naming the ranks that did not come.
std::shared_ptr<Backend> join_gloo(const BackendContext& context, const Deadline& deadline,
                                   std::chrono::nanoseconds report_every = std::chrono::seconds(5));

}  // namespace lockstep
