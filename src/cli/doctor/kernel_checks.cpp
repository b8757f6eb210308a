// The kernel: its version, which features worked when tried, and the cost of reading its clock.

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/doctor/checks.h"
#include "cli/doctor/host_files.h"

namespace lockstep::doctor {
namespace {

constexpr const char* kKernelSection = "kernel";

// The first kernel with pidfd_open(), the newest system call that Lockstep needs.
constexpr std::pair<std::uint64_t, std::uint64_t> kOldestVersion{5, 3};

// A clock read in user space takes 15-60 ns; one that needs a system call 200 ns and more.
constexpr double kSlowClockNs = 150;

// "6.1.0-18-amd64" is version 6.1.
std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_version(std::string_view release) {
  const auto parts = split(release, '.');
  if (parts.size() < 2) {
    return std::nullopt;
  }
  const auto major = parse_number(parts[0]);
  const auto minor = parse_number(parts[1].substr(0, parts[1].find_first_not_of("0123456789")));
  return major && minor ? std::optional(std::pair(*major, *minor)) : std::nullopt;
}

Check judge_release(const KernelFacts& kernel) {
  Check check{.section = kKernelSection, .name = "version", .status = Status::kOk, .seen = {}, .advice = {}};
  check.seen = "Linux " + (kernel.release.empty() ? "of unknown version" : kernel.release);
  const auto version = parse_version(kernel.release);
  if (version && *version < kOldestVersion) {
    check.status = Status::kWarning;
    check.advice = fmt::format("Lockstep is made for Linux {}.{} and later; the lines below show what works.",
                               kOldestVersion.first, kOldestVersion.second);
  }
  return check;
}

struct TrialWords {
  const char* name;
  const char* works;
  const char* advice;
};

Check judge_trial(const Trial& trial, const TrialWords& words) {
  if (trial.works) {
    return {.section = kKernelSection,
            .name = words.name,
            .status = Status::kOk,
            .seen = words.works,
            .advice = {}};
  }
  return {.section = kKernelSection,
          .name = words.name,
          .status = Status::kProblem,
          .seen = trial.trouble,
          .advice = words.advice};
}

Check judge_clock(const KernelFacts& kernel) {
  Check check{.section = kKernelSection, .name = "clock", .status = Status::kOk, .seen = {}, .advice = {}};
  check.seen =
      fmt::format("{}, {:.0f} ns a reading",
                  kernel.clock_source.empty() ? "unknown source" : kernel.clock_source, kernel.clock_read_ns);
  if (kernel.clock_read_ns > kSlowClockNs) {
    check.status = Status::kWarning;
    check.advice =
        "Waits, timings and traces read the clock often, and this one needs a system call each time. Boot "
        "with clocksource=tsc if the machine's TSC is stable, or run outside of the sandbox that traps it.";
  }
  return check;
}

}  // namespace

std::vector<Check> judge_kernel(const KernelFacts& kernel) {
  return {
      judge_release(kernel),
      judge_trial(kernel.sealed_memory,
                  {"sealed memory", "memfd_create works and its seals hold",
                   "Ranks on one host keep gradients in sealed memfds. Allow memfd_create and fcntl seals in "
                   "the sandbox (docker's default seccomp profile does)."}),
      judge_trial(kernel.shared_mapping,
                  {"shared memory", "shared mappings agree and carry futexes",
                   "Ranks on one host talk and wait in shared memory. Allow mmap and futex on memfds in the "
                   "sandbox, or run outside of it."}),
      judge_trial(kernel.process_descriptors,
                  {"pidfd", "pidfd_open works",
                   "Without it a rank cannot notice that another one died. Use Linux 5.3 or later and allow "
                   "pidfd_open in the sandbox."}),
      judge_trial(
          kernel.unix_sockets,
          {"unix sockets", "abstract names, peer credentials and descriptors work",
           "Ranks on one host meet on an abstract Unix socket. Allow AF_UNIX sockets in the sandbox."}),
      judge_clock(kernel),
  };
}

}  // namespace lockstep::doctor
