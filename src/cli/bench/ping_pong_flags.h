#pragma once

// What ranks 0 and 1 hand back and forth: two counters in shared memory, each on a cache line of its own.

#include <atomic>
#include <cstdint>

namespace lockstep::bench {

struct PingPongFlags {
  alignas(64) std::atomic<std::uint32_t> ping;  // written by rank 0
  alignas(64) std::atomic<std::uint32_t> pong;  // written by rank 1
};

}  // namespace lockstep::bench
