#include "bench_worker/peak_memory.h"

#include <fstream>
#include <string>

#include "lockstep/error.h"

namespace lockstep::bench {

// Not getrusage(): its ru_maxrss starts with what the process that started this one had needed.
std::size_t peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::size_t kib = 0;
    if (word == "VmHWM:" && status >> kib) {
      return kib << 10;
    }
  }
  throw Error(ErrorCode::kSystem, "/proc/self/status has no VmHWM");
}

}  // namespace lockstep::bench
