// The optional backends. One host needs none of them, so none is ever a warning.

#include <fmt/format.h>

#include <algorithm>

#include "cli/doctor/checks.h"

namespace lockstep::doctor {
namespace {

constexpr const char* kBackendSection = "backends";

Check describe_mpi(const BackendFacts& backends) {
  std::string seen = "none found; one host does not need it";
  if (!backends.mpi_launcher.empty()) {
    seen = fmt::format("{} ({})", backends.mpi_version.empty() ? "of unknown version" : backends.mpi_version,
                       backends.mpi_launcher);
  }
  return {.section = kBackendSection, .name = "MPI", .status = Status::kOk, .seen = seen, .advice = {}};
}

// "2 x NVIDIA A100, 1 x NVIDIA T4": groups adjacent GPUs of the same name.
std::string gpu_list(const std::vector<std::string>& gpus) {
  std::string text;
  for (auto first = gpus.begin(); first != gpus.end();) {
    const auto last = std::find_if(first, gpus.end(), [&](const std::string& gpu) { return gpu != *first; });
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", last - first, *first);
    first = last;
  }
  return text;
}

Check describe_gpus(const BackendFacts& backends) {
  const std::string seen =
      backends.gpus.empty() ? "none found; training runs on the processor" : gpu_list(backends.gpus);
  return {.section = kBackendSection, .name = "GPU", .status = Status::kOk, .seen = seen, .advice = {}};
}

Check describe_nccl(const BackendFacts& backends) {
  const std::string seen =
      backends.nccl_library.empty() ? "none found; only GPUs need it" : backends.nccl_library;
  return {.section = kBackendSection, .name = "NCCL", .status = Status::kOk, .seen = seen, .advice = {}};
}

}  // namespace

std::vector<Check> judge_backends(const BackendFacts& backends) {
  return {describe_mpi(backends), describe_gpus(backends), describe_nccl(backends)};
}

}  // namespace lockstep::doctor
