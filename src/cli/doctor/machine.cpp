#include "cli/doctor/machine.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "cli/doctor/backends.h"
#include "cli/doctor/cgroup.h"
#include "cli/doctor/kernel_features.h"
#include "cli/doctor/torch_probe.h"
#include "lockstep/error.h"
#include "topology/topology.h"

namespace lockstep::doctor {
namespace {

ResourceLimit read_limit(__rlimit_resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) {
    return {};
  }
  const auto bounded = [](rlim_t value) {
    return value == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(value);
  };
  return {bounded(limit.rlim_cur), bounded(limit.rlim_max)};
}

// The fastest of several rounds, so that one interruption does not make a fast clock look slow.
double measure_clock_read_ns() {
  using SteadyClock = std::chrono::steady_clock;
  constexpr int kRounds = 8;
  constexpr int kReadsPerRound = 100;
  auto shortest = SteadyClock::duration::max();
  for (int round = 0; round < kRounds; ++round) {
    const auto start = SteadyClock::now();
    auto last = start;
    for (int i = 0; i < kReadsPerRound; ++i) {
      last = SteadyClock::now();
    }
    shortest = std::min(shortest, last - start);
  }
  return std::chrono::duration<double, std::nano>(shortest).count() / kReadsPerRound;
}

KernelFacts gather_kernel(const HostFiles& files) {
  KernelFacts kernel;
  utsname name{};
  if (uname(&name) == 0) {
    kernel.release = name.release;
  }
  kernel.clock_source = files.read_word("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  kernel.clock_read_ns = measure_clock_read_ns();
  kernel.core_pattern = files.read_word("/proc/sys/kernel/core_pattern");
  kernel.sealed_memory = try_sealed_memory();
  kernel.shared_mapping = try_shared_mapping();
  kernel.process_descriptors = try_process_descriptors();
  kernel.unix_sockets = try_unix_sockets();
  return kernel;
}

std::optional<std::uint64_t> kibibytes(const std::string& meminfo, std::string_view key) {
  const std::string value = line_value(meminfo, key, ':').value_or("");
  const auto number = parse_number(std::string_view(value).substr(0, value.find(' ')));
  return number ? std::optional(*number * 1024) : std::nullopt;
}

// "always within_size advise [never] deny force": the one in brackets.
std::string chosen_mode(std::string_view modes) {
  const auto open = modes.find('[');
  const auto close = modes.find(']', open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos) {
    return {};
  }
  return std::string(modes.substr(open + 1, close - open - 1));
}

// What hwloc cannot tell stays unknown.
void read_cores(ProcessorFacts& processor) {
  try {
    const Topology topology = read_topology();
    processor.affinity_cores = static_cast<int>(topology.threads().size());
    processor.physical_cores = static_cast<int>(topology.cores.size());
    for (const Core& core : topology.cores) {
      processor.caches = std::max(processor.caches, core.cache + 1);
      processor.packages = std::max(processor.packages, core.package + 1);
    }
  } catch (const Error&) {
    processor.affinity_cores = 0;
  }
}

}  // namespace

ProcessorFacts read_processor(const HostFiles& files) {
  const std::string cpuinfo = files.read("/proc/cpuinfo").value_or("");
  ProcessorFacts processor;
  processor.model = line_value(cpuinfo, "model name", ':').value_or("");
  // Called flags on x86, features on ARM.
  const auto flags = line_value(cpuinfo, "flags", ':');
  const std::string features = flags ? *flags : line_value(cpuinfo, "Features", ':').value_or("");
  for (const std::string_view feature : split(features, ' ')) {
    processor.features.emplace_back(feature);
  }
  utsname name{};
  if (uname(&name) == 0) {
    processor.architecture = name.machine;
  }
  processor.online_cores = static_cast<int>(std::max(0L, sysconf(_SC_NPROCESSORS_ONLN)));
  read_cores(processor);
  return processor;
}

MemoryFacts read_memory(const HostFiles& files) {
  const std::string meminfo = files.read("/proc/meminfo").value_or("");
  MemoryFacts memory;
  memory.total_bytes = kibibytes(meminfo, "MemTotal");
  memory.available_bytes = kibibytes(meminfo, "MemAvailable");
  memory.shared_huge_pages =
      chosen_mode(files.read("/sys/kernel/mm/transparent_hugepage/shmem_enabled").value_or(""));
  memory.page_bytes = static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_PAGESIZE)));
  return memory;
}

Facts gather_facts(const HostFiles& files) {
  Facts facts;
  facts.processor = read_processor(files);
  facts.cgroup = read_cgroup_limits(files);
  facts.memory = read_memory(files);
  facts.kernel = gather_kernel(files);
  facts.limits = {.open_files = read_limit(RLIMIT_NOFILE),
                  .locked_memory_bytes = read_limit(RLIMIT_MEMLOCK),
                  .processes = read_limit(RLIMIT_NPROC),
                  .core_file_bytes = read_limit(RLIMIT_CORE)};
  facts.torch = run_torch_probe(find_torch_probe());
  if (const char* threads = std::getenv("OMP_NUM_THREADS"); threads != nullptr) {
    facts.torch.omp_num_threads = threads;
  }
  facts.backends = find_backends(files);
  return facts;
}

}  // namespace lockstep::doctor
