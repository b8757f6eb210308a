#include "cli/doctor/healthy_facts.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace lockstep::doctor {

Facts healthy_facts() {
  constexpr std::uint64_t kGib = std::uint64_t{1} << 30;
  const Trial works{.works = true, .trouble = {}};
  Facts facts;
  facts.processor = {.model = "Example CPU 9000",
                     .architecture = "x86_64",
                     .features = {"sse2", "avx", "avx2"},
                     .online_cores = 8,
                     .affinity_cores = 8};
  facts.memory = {.total_bytes = 32 * kGib,
                  .available_bytes = 24 * kGib,
                  .shared_huge_pages = "advise",
                  .page_bytes = 4096};
  facts.kernel = {.release = "6.1.0-18-amd64",
                  .clock_source = "tsc",
                  .clock_read_ns = 22,
                  .core_pattern = "core",
                  .sealed_memory = works,
                  .shared_mapping = works,
                  .process_descriptors = works,
                  .unix_sockets = works};
  facts.limits.open_files = {.soft = 4096, .hard = 65536};
  facts.torch.outcome = TorchProbeOutcome::kAnswered;
  facts.torch.info = {.version = "2.13.0",
                      .compiled_version = "2.13.0",
                      .blas = "MKL",
                      .cpu_capability = "AVX2",
                      .parallel_backend = "OpenMP",
                      .threads = 8,
                      .gemm_gflops = 61.7,
                      .gloo = true};
  return facts;
}

Check check_named(const std::vector<Check>& checks, std::string_view name) {
  const auto found =
      std::find_if(checks.begin(), checks.end(), [name](const Check& check) { return check.name == name; });
  if (found == checks.end()) {
    throw std::out_of_range("no check is named " + std::string(name));
  }
  return *found;
}

}  // namespace lockstep::doctor
