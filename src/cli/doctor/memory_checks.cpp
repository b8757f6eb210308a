// Memory: how much there is, how much of it a control group permits, and which pages ranks share it in.

#include <fmt/format.h>

#include <algorithm>

#include "cli/doctor/checks.h"
#include "cli/doctor/size_text.h"

namespace lockstep::doctor {
namespace {

constexpr const char* kMemorySection = "memory";

// libtorch alone takes some 200 MiB per process, before the first tensor.
constexpr std::uint64_t kScarceBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kHopelessBytes = std::uint64_t{256} << 20;

Status judge_free_bytes(std::uint64_t bytes) {
  if (bytes < kHopelessBytes) {
    return Status::kProblem;
  }
  return bytes < kScarceBytes ? Status::kWarning : Status::kOk;
}

Check judge_available(const MemoryFacts& memory) {
  Check check{.section = kMemorySection, .name = "memory", .status = Status::kOk, .seen = {}, .advice = {}};
  if (!memory.total_bytes || !memory.available_bytes) {
    check.status = Status::kWarning;
    check.seen = "unknown: /proc/meminfo does not say";
    check.advice = "Mount /proc; without it nobody can tell when memory runs out.";
    return check;
  }
  check.status = judge_free_bytes(*memory.available_bytes);
  check.seen =
      fmt::format("{}, {} available", size_text(*memory.total_bytes), size_text(*memory.available_bytes));
  if (check.status != Status::kOk) {
    check.advice =
        "Every rank holds the model, its gradients and libtorch itself (about 200 MiB). Stop other programs "
        "or use a machine with more memory.";
  }
  return check;
}

Check judge_limit(const Facts& facts) {
  Check check{
      .section = kMemorySection, .name = "memory limit", .status = Status::kOk, .seen = {}, .advice = {}};
  if (!facts.cgroup.memory_bytes) {
    check.seen = "none";
    return check;
  }
  const std::uint64_t limit = *facts.cgroup.memory_bytes;
  const std::uint64_t left = limit - std::min(limit, facts.cgroup.memory_used_bytes);
  check.seen = fmt::format("{}, {} left (control group {})", size_text(limit), size_text(left),
                           facts.cgroup.memory_group);
  const bool below_memory = facts.memory.total_bytes && limit < *facts.memory.total_bytes;
  check.status = std::max(judge_free_bytes(left), below_memory ? Status::kWarning : Status::kOk);
  if (check.status != Status::kOk) {
    check.advice =
        "All ranks share this limit, and the kernel kills one without a word when they reach it (exit code "
        "137). Keep the job below it, or raise it (docker run --memory, systemd MemoryMax=).";
  }
  return check;
}

Check describe_huge_pages(const MemoryFacts& memory) {
  const std::string pages = size_text(memory.page_bytes);
  std::string seen;
  if (memory.shared_huge_pages.empty()) {
    seen = fmt::format("not offered for shared memory; it uses {} pages", pages);
  } else if (memory.shared_huge_pages == "never" || memory.shared_huge_pages == "deny") {
    seen = fmt::format("{} for shared memory; it uses {} pages", memory.shared_huge_pages, pages);
  } else {
    seen = fmt::format("{} for shared memory", memory.shared_huge_pages);
  }
  return {.section = kMemorySection, .name = "huge pages", .status = Status::kOk, .seen = seen, .advice = {}};
}

}  // namespace

std::vector<Check> judge_memory(const Facts& facts) {
  return {judge_available(facts.memory), judge_limit(facts), describe_huge_pages(facts.memory)};
}

}  // namespace lockstep::doctor
