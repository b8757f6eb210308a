#include "bench_worker/pinning.h"

#include <sched.h>

#include <cerrno>
#include <cstddef>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

cpu_set_t affinity() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) {
    throw Error::from_errno(errno, "sched_getaffinity");
  }
  return cores;
}

}  // namespace

int usable_cores() {
  const cpu_set_t cores = affinity();
  return CPU_COUNT(&cores);
}

void pin_to_core(int rank) {
  const cpu_set_t cores = affinity();
  int skip = rank % CPU_COUNT(&cores);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &cores) || skip-- > 0) {
      continue;
    }
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(core, &own);
    if (sched_setaffinity(0, sizeof own, &own) != 0) {
      throw Error::from_errno(errno, "sched_setaffinity");
    }
    return;
  }
}

}  // namespace lockstep::bench
