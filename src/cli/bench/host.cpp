#include "cli/bench/host.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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

std::string cores_text(const Machine& machine) {
  return fmt::format("{} core{}", machine.cores, machine.cores == 1 ? "" : "s");
}

std::string machine_lines(const Machine& machine) {
  return fmt::format("machine    {}, {}, Linux {}\n", machine.processor, cores_text(machine),
                     machine.kernel) +
         fmt::format("load       {} before, {} after\n", machine.load_before, machine.load_after);
}

nlohmann::ordered_json machine_json(const Machine& machine) {
  return {{"processor", machine.processor},
          {"cores", machine.cores},
          {"kernel", machine.kernel},
          {"load_before", machine.load_before},
          {"load_after", machine.load_after}};
}

}  // namespace lockstep::bench
