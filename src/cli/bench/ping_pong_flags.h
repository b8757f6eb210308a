#pragma once

// Two counters in shared memory, each on its own cache line. Two sides on different cores pass them back and forth to
// measure how close they are.

#include <atomic>
#include <cstdint>
#include <vector>

namespace lockstep::bench {

struct PingPongFlags {
  alignas(64) std::atomic<std::uint32_t> ping;  // written by side 0, which starts
  alignas(64) std::atomic<std::uint32_t> pong;  // written by side 1
};

// Plays side 0 or 1 and returns `times` round-trip times in ns, each the mean of a short series. `trips` continues from
// game to game, equally on both sides. Throws Error{kTimeout} when the other side does not play.
std::vector<std::int64_t> play_ping_pong(PingPongFlags& flags, int side, std::uint32_t& trips, int times);

}  // namespace lockstep::bench
