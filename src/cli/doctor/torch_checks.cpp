// libtorch: whether it loads, is the version that Lockstep was built with, has a good BLAS, and how many threads it
// would start in each rank.

#include <fmt/format.h>

#include <algorithm>

#include "cli/doctor/checks.h"
#include "cli/doctor/host_files.h"

namespace lockstep::doctor {
namespace {

constexpr const char* kTorchSection = "libtorch";

// One core: a naive triple loop reaches 1-3 GFLOP/s, a tuned BLAS more than 10, with AVX2 or AVX-512 30-200.
constexpr double kNaiveGflops = 3;
constexpr double kTunedGflops = 10;

Check judge_absence(const TorchFacts& torch) {
  if (torch.outcome == TorchProbeOutcome::kAbsent) {
    return {.section = kTorchSection,
            .name = "libtorch",
            .status = Status::kWarning,
            .seen = "this lockstep was built without it",
            .advice =
                "The torch-free core works. To train torch modules, run tools/bootstrap and build with "
                "-DLOCKSTEP_WITH_TORCH=ON."};
  }
  return {
      .section = kTorchSection,
      .name = "libtorch",
      .status = Status::kProblem,
      .seen = torch.trouble,
      .advice =
          "Programs built with Lockstep will fail the same way. Check that the libtorch that Lockstep was "
          "built with is still in its place, or build again."};
}

// Only the part before the '+' counts: "2.13.0+cpu" and "2.13.0" are the same code.
std::string_view release_of(std::string_view version) {
  return version.substr(0, version.find('+'));
}

// libtorch uses its slow kernels on a capable processor only when told to.
bool is_held_back(const Facts& facts) {
  const auto& features = facts.processor.features;
  return std::find(features.begin(), features.end(), "avx2") != features.end() &&
         facts.torch.info.cpu_capability.find("AVX") != 0;
}

Check judge_version(const Facts& facts) {
  const TorchDescription& info = facts.torch.info;
  Check check{.section = kTorchSection, .name = "libtorch", .status = Status::kOk, .seen = {}, .advice = {}};
  check.seen =
      fmt::format("{}, {} kernels{}", info.version, info.cpu_capability, info.gloo ? ", with Gloo" : "");
  if (release_of(info.version) != release_of(info.compiled_version)) {
    check.status = Status::kProblem;
    check.seen =
        fmt::format("{} was loaded, but Lockstep was compiled for {}", info.version, info.compiled_version);
    check.advice =
        "The two do not fit together. Build Lockstep again with this libtorch (LOCKSTEP_TORCH_DIR), or take "
        "the other one out of LD_LIBRARY_PATH.";
  } else if (is_held_back(facts)) {
    check.status = Status::kWarning;
    check.advice = "This processor has AVX2, which libtorch does not use. Unset ATEN_CPU_CAPABILITY.";
  }
  return check;
}

Check judge_blas(const TorchDescription& info) {
  Check check{.section = kTorchSection, .name = "BLAS", .status = Status::kOk, .seen = {}, .advice = {}};
  check.seen = fmt::format("{}, {:.{}f} GFLOP/s on one core", info.blas, info.gemm_gflops,
                           info.gemm_gflops < kTunedGflops ? 1 : 0);
  if (info.gemm_gflops < kNaiveGflops) {
    check.status = Status::kProblem;
    check.advice =
        "That is the speed of a plain loop, and training is mostly matrix products. Use a libtorch with MKL "
        "or OpenBLAS: tools/bootstrap installs one.";
  } else if (info.gemm_gflops < kTunedGflops) {
    check.status = Status::kWarning;
    check.advice =
        "A tuned BLAS reaches more than 10 on most cores. Look again when the machine is idle; if it stays "
        "so, use a libtorch with MKL or OpenBLAS: tools/bootstrap installs one.";
  }
  return check;
}

// OMP_NUM_THREADS may be a list with one number per nesting level; only the first counts here.
Check judge_threads(const Facts& facts) {
  Check check{.section = kTorchSection, .name = "threads", .status = Status::kOk, .seen = {}, .advice = {}};
  const TorchDescription& info = facts.torch.info;
  const int cores = usable_cores(facts);
  check.seen = fmt::format("{} in a process ({})", info.threads, info.parallel_backend);
  if (!facts.torch.omp_num_threads) {
    return check;
  }
  const std::string& variable = *facts.torch.omp_num_threads;
  const auto threads = parse_number(trimmed(std::string_view(variable).substr(0, variable.find(','))));
  check.seen += fmt::format(", OMP_NUM_THREADS={}", variable);
  if (!threads || *threads == 0) {
    check.status = Status::kWarning;
    check.advice = "OMP_NUM_THREADS is not a positive number. Unset it, or set it to cores / ranks.";
  } else if (*threads > static_cast<std::uint64_t>(cores)) {
    check.status = Status::kWarning;
    check.advice = fmt::format(
        "More threads than the {} usable {} only slow each other down. Unset OMP_NUM_THREADS, or set it to "
        "cores / ranks.",
        cores, cores == 1 ? "core" : "cores");
  }
  return check;
}

}  // namespace

std::vector<Check> judge_torch(const Facts& facts) {
  if (facts.torch.outcome != TorchProbeOutcome::kAnswered) {
    return {judge_absence(facts.torch)};
  }
  return {judge_version(facts), judge_blas(facts.torch.info), judge_threads(facts)};
}

}  // namespace lockstep::doctor
