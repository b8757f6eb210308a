#pragma once

// Lockstep's own all-reduce, over shared memory, on buckets from Communicator::allocate. Its workers also measure the
// limits of the host: the same kernel on private memory, and the round trip of a flag.

#include <memory>

#include "bench_worker/contestant.h"

namespace lockstep::bench {

struct LockstepRank {
  int rank = 0;
  int size = 1;
  int flags_fd = -1;  // a memory file with PingPongFlags
};

std::unique_ptr<Contestant> make_lockstep_contestant(const LockstepRank& rank);

}  // namespace lockstep::bench
