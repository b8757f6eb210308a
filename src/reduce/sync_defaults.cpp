#include "reduce/sync_defaults.h"

#include <sched.h>

namespace lockstep {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

int affinity_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
}

}  // namespace

std::vector<std::size_t> default_bucket_caps(std::string_view backend) {
  if (backend == "shm" || backend == "local") {
    return {1 * kMiB, 8 * kMiB};
  }
  return {1 * kMiB, 25 * kMiB};
}

Progress choose_progress(int usable_cores, int ranks) {
  return usable_cores >= 2 * ranks ? Progress::kThread : Progress::kInline;
}

GradientSyncOptions with_defaults(GradientSyncOptions options, const Communicator& communicator) {
  if (options.bucket_caps.empty()) {
    options.bucket_caps = default_bucket_caps(communicator.backend_name());
  }
  if (options.progress == Progress::kAuto) {
    options.progress = choose_progress(affinity_cores(), communicator.size());
  }
  return options;
}

}  // namespace lockstep
