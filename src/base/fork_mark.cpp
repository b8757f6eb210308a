#include "base/fork_mark.h"

#include <pthread.h>
#include <unistd.h>

#include "lockstep/error.h"

namespace lockstep {

std::atomic<std::uint64_t>& ForkMark::forks() {
  static std::atomic<std::uint64_t> count = 0;
  return count;
}

ForkMark::ForkMark() : maker_(getpid()) {
  [[maybe_unused]] static const bool counting = [] {
    const int error =
        pthread_atfork(nullptr, nullptr, [] { forks().fetch_add(1, std::memory_order_relaxed); });
    if (error != 0) {
      throw Error::from_errno(error, "pthread_atfork");
    }
    return true;
  }();
  forks_ = forks().load(std::memory_order_relaxed);
}

}  // namespace lockstep
