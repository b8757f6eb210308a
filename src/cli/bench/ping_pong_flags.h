#pragma once

// What two sides on different cores hand back and forth to see how near they are: two counters in memory that both have,
// each on a cache line of its own.

#include <atomic>
#include <cstdint>
#include <vector>

namespace lockstep::bench {

struct PingPongFlags {
  alignas(64) std::atomic<std::uint32_t> ping;  // written by side 0, which begins
  alignas(64) std::atomic<std::uint32_t> pong;  // written by side 1
};

// Plays side 0 or 1 and returns that many times of a round trip in ns, each the mean of a short series. `trips` counts
// on from game to game, equally on both sides. Throws Error{kTimeout} when the other side does not play.
std::vector<std::int64_t> play_ping_pong(PingPongFlags& flags, int side, std::uint32_t& trips, int times);

}  // namespace lockstep::bench
