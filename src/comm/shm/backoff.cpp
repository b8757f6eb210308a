#include "comm/shm/backoff.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace lockstep {
namespace {

using std::chrono::microseconds;

constexpr microseconds kSpin{40};
constexpr microseconds kYield{500};

void relax_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Backoff::Backoff(bool may_spin) : may_spin_(may_spin), start_(Clock::real().now()) {}

void Backoff::reset() {
  start_ = Clock::real().now();
}

bool Backoff::pause() {
  const auto waited = Clock::real().now() - start_;
  if (may_spin_ && waited < kSpin) {
    for (int i = 0; i < 4; ++i) {
      relax_processor();
    }
    return false;
  }
  if (waited < kYield) {
    sched_yield();
    return false;
  }
  return true;
}

DoorbellSleep::DoorbellSleep(Doorbell& doorbell)
    : doorbell_(doorbell), rings_(doorbell.rings.load(std::memory_order_acquire)) {
  doorbell_.sleeping.store(1, std::memory_order_seq_cst);  // pairs with Group::ring_sleepers()
}

DoorbellSleep::~DoorbellSleep() {
  doorbell_.sleeping.store(0, std::memory_order_release);
}

void DoorbellSleep::sleep(std::chrono::nanoseconds longest) {
  const timespec timeout{.tv_sec = static_cast<time_t>(longest.count() / 1'000'000'000),
                         .tv_nsec = static_cast<long>(longest.count() % 1'000'000'000)};
  syscall(SYS_futex, &doorbell_.rings, FUTEX_WAIT, rings_, &timeout, nullptr, 0);
}

}  // namespace lockstep
