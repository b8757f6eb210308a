#include "cli/bench/core_watch.h"

#include <cstdint>
#include <exception>
#include <thread>

#include "bench_worker/pinning.h"
#include "cli/bench/ping_pong_flags.h"
#include "cli/bench/statistics.h"

namespace lockstep::bench {
namespace {

constexpr int kTimes = 25;

// One of the two sides, pinned to its core.
class Player {
 public:
  Player(int side, PingPongFlags& flags) : thread_([this, side, &flags] { play(side, flags); }) {}

  std::vector<double> finish() {
    thread_.join();
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    return times_ns_;
  }

 private:
  void play(int side, PingPongFlags& flags) {
    try {
      pin_to_core(side);
      std::uint32_t trips = 0;
      for (const std::int64_t time : play_ping_pong(flags, side, trips, kTimes)) {
        times_ns_.push_back(static_cast<double>(time));
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  std::vector<double> times_ns_;
  std::exception_ptr failure_;
  std::jthread thread_;  // last: it uses the members above
};

}  // namespace

std::optional<double> flag_round_trip_ns() {
  if (usable_cores() < 2) {
    return std::nullopt;
  }
  PingPongFlags flags{};
  Player first(0, flags);
  Player second(1, flags);
  const std::vector<double> times_ns = first.finish();
  second.finish();
  return median(times_ns);
}

void CoreWatch::end_turn() {
  const std::optional<double> after_ns = look_();
  if (before_ns_ && after_ns) {
    round_trips_ns_.insert(round_trips_ns_.end(), {*before_ns_, *after_ns});
    ++turns_[classify(*before_ns_, *after_ns)];
  }
}

std::optional<PingPong> CoreWatch::summary() const {
  if (round_trips_ns_.empty()) {
    return std::nullopt;
  }
  return summarize_ping_pong(round_trips_ns_, turns_);
}

}  // namespace lockstep::bench
