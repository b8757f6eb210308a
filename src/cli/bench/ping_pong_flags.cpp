#include "cli/bench/ping_pong_flags.h"

#include <sched.h>

#include <chrono>

#include "base/clock.h"
#include "base/deadline.h"
#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

constexpr std::chrono::seconds kPlayersPatience{30};
constexpr int kRoundTripsPerTime = 20;  // makes the cost of reading the clock negligible

// Spins, because this measures the fastest possible flag; yields now and then, because the other side may need this
// core.
void wait_for(const std::atomic<std::uint32_t>& flag, std::uint32_t value) {
  constexpr int kSpins = 1 << 14;
  for (const Deadline deadline = Deadline::after(kPlayersPatience); !deadline.expired(); sched_yield()) {
    for (int spin = 0; spin < kSpins; ++spin) {
      if (flag.load(std::memory_order_acquire) == value) {  // pairs with the store of the other side
        return;
      }
    }
  }
  throw Error(ErrorCode::kTimeout, "the other side does not play ping-pong");
}

void go_there_and_back(PingPongFlags& flags, int side, std::uint32_t trip) {
  if (side == 0) {
    flags.ping.store(trip, std::memory_order_release);  // pairs with wait_for() on side 1
    wait_for(flags.pong, trip);
  } else {
    wait_for(flags.ping, trip);
    flags.pong.store(trip, std::memory_order_release);  // pairs with wait_for() on side 0
  }
}

}  // namespace

std::vector<std::int64_t> play_ping_pong(PingPongFlags& flags, int side, std::uint32_t& trips, int times) {
  std::vector<std::int64_t> result;
  for (int i = 0; i < times; ++i) {
    const Clock::Time start = Clock::real().now();
    for (int trip = 0; trip < kRoundTripsPerTime; ++trip) {
      go_there_and_back(flags, side, ++trips);
    }
    const std::chrono::nanoseconds time = Clock::real().now() - start;
    result.push_back(time.count() / kRoundTripsPerTime);
  }
  return result;
}

}  // namespace lockstep::bench
