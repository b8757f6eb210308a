#include "cli/run/core_shares.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "lockstep/error.h"

namespace lockstep::run {

std::vector<int> available_cores() {
  // The kernel refuses a mask that is too small for the machine: try larger ones.
  for (int size = 1024; size <= 1 << 20; size *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(CPU_ALLOC(static_cast<std::size_t>(size)),
                                                                [](cpu_set_t* set) { CPU_FREE(set); });
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(size));
    CPU_ZERO_S(bytes, mask.get());
    if (sched_getaffinity(0, bytes, mask.get()) == 0) {
      std::vector<int> cores;
      for (int core = 0; core < size; ++core) {
        if (CPU_ISSET_S(static_cast<std::size_t>(core), bytes, mask.get())) {
          cores.push_back(core);
        }
      }
      return cores;
    }
    if (errno != EINVAL) {
      break;
    }
  }
  throw Error::from_errno(errno, "sched_getaffinity");
}

CoreShares share_cores(const std::vector<int>& cores, int ranks, std::optional<int> threads) {
  const int count = static_cast<int>(cores.size());
  CoreShares shares{.threads = threads.value_or(std::max(1, count / ranks)), .of_rank = {}};
  if (static_cast<long>(ranks) * shares.threads > count) {
    return shares;
  }
  for (int rank = 0; rank < ranks; ++rank) {
    const auto begin = cores.begin() + static_cast<std::ptrdiff_t>(rank) * shares.threads;
    shares.of_rank.emplace_back(begin, begin + shares.threads);
  }
  return shares;
}

}  // namespace lockstep::run
