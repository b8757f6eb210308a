#include "support/rank_arena.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

#include "lockstep/error.h"

namespace lockstep::testing {

struct RankArena::Control {
  std::atomic<std::uint32_t> changes;     // the futex: counts everything that a waiter should look at
  std::atomic<std::uint32_t> arrived;     // at the barrier, in this generation
  std::atomic<std::uint32_t> generation;  // how often all have met there
  std::atomic<int> first_ended;           // -1: none yet
};

namespace {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "only lock-free atomics work between processes");

// Not std::atomic::wait(), which wakes only threads of its own process.
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

timespec to_timespec(std::chrono::nanoseconds duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {.tv_sec = seconds.count(), .tv_nsec = (duration - seconds).count()};
}

}  // namespace

RankArena::RankArena(int size, std::size_t shared_bytes)
    : size_(size),
      control_memory_(sizeof(Control)),
      user_(shared_bytes),
      control_(new (control_memory_.bytes().data()) Control{}),
      bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!bell_) {
    throw Error::from_errno(errno, "eventfd");
  }
  control_->first_ended = -1;
}

void RankArena::notify_all() const {
  control_->changes.fetch_add(1);  // pairs with the load in wait_until()
  futex(control_->changes, FUTEX_WAKE, INT_MAX, nullptr);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(bell_.get(), &one, sizeof one);  // when full, it rings already
}

void RankArena::silence_bell() const {
  std::uint64_t rings = 0;
  [[maybe_unused]] const auto count = read(bell_.get(), &rings, sizeof rings);
}

void RankArena::wait_until(const RankWait& wait, const char* operation,
                           const std::function<bool()>& ready) const {
  for (;;) {
    const std::uint32_t seen = control_->changes.load();  // before ready(): a change after it ends the nap
    if (ready()) {
      return;
    }
    const auto failure = [&](ErrorCode code, const char* message) {
      return Error(code, message)
          .with_operation(operation)
          .with_rank(wait.rank)
          .with_elapsed(wait.deadline.elapsed());
    };
    if (wait.deadline.expired()) {
      throw failure(ErrorCode::kTimeout, "the deadline of the group has passed");
    }
    if (wait.stop.stop_requested()) {
      throw failure(ErrorCode::kAborted, "the test called the group off");
    }
    const timespec nap = to_timespec(wait.deadline.remaining());
    futex(control_->changes, FUTEX_WAIT, seen, &nap);
  }
}

void RankArena::barrier(const RankWait& wait) const {
  const std::uint32_t generation = control_->generation.load();
  if (control_->arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(size_)) {
    control_->arrived.store(0);  // before the generation: whoever sees the new one may arrive again
    control_->generation.fetch_add(1);
    notify_all();
    return;
  }
  wait_until(wait, "barrier", [&] {
    const auto ended =
        first_ended();  // before the generation: it may have ended right after the last arrival
    if (control_->generation.load() != generation) {
      return true;
    }
    if (ended) {
      throw Error(ErrorCode::kPeerLost, "it has ended")
          .with_operation("barrier")
          .with_rank(wait.rank)
          .with_peer(*ended);
    }
    return false;
  });
}

void RankArena::mark_ended(int rank) const {
  int none = -1;
  control_->first_ended.compare_exchange_strong(none, rank);
  notify_all();
}

std::optional<int> RankArena::first_ended() const {
  const int rank = control_->first_ended.load();
  return rank >= 0 ? std::optional(rank) : std::nullopt;
}

void RankArena::require_shared_bytes(std::size_t bytes) const {
  if (bytes > shared_bytes().size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the ranks share {} bytes and {} are needed: raise RankOptions::shared_bytes",
                            shared_bytes().size(), bytes));
  }
}

}  // namespace lockstep::testing
