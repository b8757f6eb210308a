// The processor: its vector instructions, and how many of its cores this process actually gets.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/doctor/checks.h"

namespace lockstep::doctor {
namespace {

constexpr const char* kProcessorSection = "processor";

std::string cores_text(double cores) {
  return fmt::format("{:.3g} {}", cores, cores == 1 ? "core" : "cores");
}

std::string ranks_text(int ranks) {
  return fmt::format("{} {}", ranks, ranks == 1 ? "rank" : "ranks");
}

int allowed_cores(const ProcessorFacts& processor) {
  return processor.affinity_cores > 0 ? processor.affinity_cores : std::max(1, processor.online_cores);
}

// The widest vector instructions; empty if there are none worth mentioning.
std::string vector_instructions(const ProcessorFacts& processor) {
  const auto has = [&processor](std::string_view feature) {
    return std::find(processor.features.begin(), processor.features.end(), feature) !=
           processor.features.end();
  };
  if (has("avx512f")) {
    return "AVX-512";
  }
  if (has("avx2")) {
    return "AVX2";
  }
  if (has("sve")) {
    return "SVE";
  }
  return has("asimd") ? "NEON" : "";
}

Check judge_model(const ProcessorFacts& processor) {
  Check check{.section = kProcessorSection, .name = "model", .status = Status::kOk, .seen = {}, .advice = {}};
  const std::string model = processor.model.empty() ? processor.architecture : processor.model;
  const std::string vectors = vector_instructions(processor);
  check.seen = fmt::format("{}, {}", model.empty() ? "unknown" : model,
                           vectors.empty() ? "no AVX2" : "with " + vectors);
  if (vectors.empty() && processor.architecture == "x86_64") {
    check.status = Status::kWarning;
    check.advice =
        "libtorch and the reductions fall back to kernels that are several times slower. In a virtual "
        "machine, pass the host's processor through (for example qemu -cpu host).";
  } else if (vectors.empty()) {
    check.seen = model.empty() ? "unknown" : model;
  }
  return check;
}

// ": hardware threads of 8 physical cores, with 2 last-level caches"
std::string shape_text(const ProcessorFacts& processor) {
  if (processor.physical_cores == 0) {
    return "";
  }
  std::string text;
  if (processor.physical_cores < processor.affinity_cores) {
    text += fmt::format(": hardware threads of {} physical cores", processor.physical_cores);
  }
  if (processor.caches > 1) {
    text += fmt::format(", with {} last-level caches", processor.caches);
  }
  return text + (processor.packages > 1 ? fmt::format(", on {} sockets", processor.packages) : "");
}

Check judge_cores(const ProcessorFacts& processor) {
  Check check{.section = kProcessorSection, .name = "cores", .status = Status::kOk, .seen = {}, .advice = {}};
  const int allowed = allowed_cores(processor);
  if (allowed < processor.online_cores) {
    check.status = Status::kWarning;
    check.seen = fmt::format("{} of {} online cores, by the affinity mask", allowed, processor.online_cores);
    check.advice = fmt::format(
        "Start at most {}, or widen the mask (taskset, docker run --cpuset-cpus, the batch system's cpus "
        "per task).",
        ranks_text(allowed));
  } else if (allowed == 1) {
    check.status = Status::kWarning;
    check.seen = "1";
    check.advice = "Ranks take turns on one core: correct, but no faster than a single process.";
  } else {
    check.seen = fmt::format("{}, all of them usable", allowed);
  }
  check.seen += shape_text(processor);
  return check;
}

Check judge_quota(const Facts& facts) {
  Check check{
      .section = kProcessorSection, .name = "cpu quota", .status = Status::kOk, .seen = {}, .advice = {}};
  if (!facts.cgroup.cpu_cores) {
    check.seen = "none";
    return check;
  }
  const double quota = *facts.cgroup.cpu_cores;
  const int allowed = allowed_cores(facts.processor);
  check.seen = fmt::format("{} (control group {})", cores_text(quota), facts.cgroup.cpu_group);
  if (quota < allowed) {
    check.status = Status::kWarning;
    check.seen = fmt::format("{} for {} (control group {})", cores_text(quota), cores_text(allowed),
                             facts.cgroup.cpu_group);
    check.advice = fmt::format(
        "When it is used up, the kernel stops every rank for the rest of the period. Start at most {}, or "
        "raise the quota (docker run --cpus, systemd CPUQuota=).",
        ranks_text(usable_cores(facts)));
  }
  return check;
}

}  // namespace

int usable_cores(const Facts& facts) {
  const int physical = facts.processor.physical_cores;
  const int allowed = physical > 0 ? physical : allowed_cores(facts.processor);
  const double quota = facts.cgroup.cpu_cores.value_or(allowed);
  return std::max(1, static_cast<int>(std::floor(std::min<double>(allowed, quota))));
}

std::vector<Check> judge_processor(const Facts& facts) {
  return {judge_model(facts.processor), judge_cores(facts.processor), judge_quota(facts)};
}

}  // namespace lockstep::doctor
