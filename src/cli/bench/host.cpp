#include "cli/bench/host.h"

#include <sys/utsname.h>

#include <algorithm>

#include "bench_worker/pinning.h"
#include "cli/doctor/host_files.h"
#include "cli/doctor/machine.h"

namespace lockstep::bench {

Machine describe_machine() {
  Machine machine;
  machine.processor = doctor::read_processor(doctor::HostFiles()).model;
  if (machine.processor.empty()) {
    machine.processor = "unknown processor";
  }
  machine.cores = usable_cores();
  utsname names{};
  machine.kernel = uname(&names) == 0 ? static_cast<const char*>(names.release) : "of unknown release";
  machine.load_before = load_averages();
  return machine;
}

std::string load_averages() {
  constexpr std::size_t kAverages = 3;
  std::string averages;
  const std::string line = doctor::HostFiles().read_word("/proc/loadavg");
  const auto words = doctor::split(line, ' ');
  for (std::size_t i = 0; i < std::min(kAverages, words.size()); ++i) {
    averages += (i == 0 ? "" : " ") + std::string(words[i]);
  }
  return averages;
}

}  // namespace lockstep::bench
