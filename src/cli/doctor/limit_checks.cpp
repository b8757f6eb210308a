// The limits of this process: those that a job with many ranks hits, and those worth knowing.

#include <fmt/format.h>

#include <algorithm>

#include "cli/doctor/checks.h"
#include "cli/doctor/size_text.h"

namespace lockstep::doctor {
namespace {

constexpr const char* kLimitSection = "limits";
constexpr std::uint64_t kFewOpenFiles = 1024;
// A rank has about as many threads as it has cores; the data loader and libtorch add some.
constexpr std::uint64_t kFewProcesses = 512;

std::string count_text(std::optional<std::uint64_t> limit) {
  return limit ? fmt::format("{}", *limit) : "unlimited";
}

bool may_be_raised_to(const ResourceLimit& limit, std::uint64_t value) {
  return !limit.hard || *limit.hard >= value;
}

Check judge_open_files(const ResourceLimit& limit) {
  Check check{
      .section = kLimitSection, .name = "open files", .status = Status::kOk, .seen = {}, .advice = {}};
  check.seen = count_text(limit.soft);
  if (limit.soft && *limit.soft < kFewOpenFiles) {
    check.status = Status::kWarning;
    const std::string remedy =
        may_be_raised_to(limit, kFewOpenFiles)
            ? fmt::format("Run `ulimit -n {}` in the shell that starts the job.",
                          limit.hard ? std::min<std::uint64_t>(*limit.hard, 65536) : 65536)
            : fmt::format(
                  "The hard limit is {}: have it raised (nofile in /etc/security/limits.conf, systemd "
                  "LimitNOFILE=, docker run --ulimit nofile=65536).",
                  *limit.hard);
    check.advice =
        "Each rank holds descriptors for its peers, its data and its log; many ranks run out. " + remedy;
  }
  return check;
}

// The user's limit or the control group's, whichever is tighter.
Check judge_processes(const Facts& facts) {
  Check check{.section = kLimitSection, .name = "processes", .status = Status::kOk, .seen = {}, .advice = {}};
  auto limit = facts.limits.processes.soft;
  check.seen = count_text(limit);
  const auto group_limit = facts.cgroup.processes;
  const bool group_is_tighter = group_limit && (!limit || *group_limit < *limit);
  if (group_is_tighter) {
    limit = group_limit;
    check.seen = fmt::format("{} (control group {})", *limit, facts.cgroup.processes_group);
  }
  if (limit && *limit < kFewProcesses) {
    check.status = Status::kWarning;
    check.advice = fmt::format("Every thread of every rank counts. Raise it ({}).",
                               group_is_tighter ? "docker run --pids-limit, systemd TasksMax="
                                                : "ulimit -u, nproc in /etc/security/limits.conf");
  }
  return check;
}

Check describe_locked_memory(const ResourceLimit& limit) {
  const std::string size = limit.soft ? size_text(*limit.soft) : "unlimited";
  return {.section = kLimitSection,
          .name = "locked memory",
          .status = Status::kOk,
          .seen = size + (limit.soft ? "; only InfiniBand and GPU-direct need more" : ""),
          .advice = {}};
}

// With a pattern that starts with a bar, the kernel pipes the dump to a program, whatever the limit.
Check describe_core_dumps(const Facts& facts) {
  const std::string& pattern = facts.kernel.core_pattern;
  std::string seen;
  if (pattern.starts_with('|')) {
    seen = fmt::format("handed to {}", pattern.substr(1, pattern.find(' ') - 1));
  } else if (facts.limits.core_file_bytes.soft == 0U) {
    seen = "off; `ulimit -c unlimited` keeps one when a rank crashes";
  } else {
    seen = fmt::format("written to '{}'", pattern.empty() ? "core" : pattern);
  }
  return {.section = kLimitSection, .name = "core dumps", .status = Status::kOk, .seen = seen, .advice = {}};
}

}  // namespace

std::vector<Check> judge_limits(const Facts& facts) {
  return {judge_open_files(facts.limits.open_files), judge_processes(facts),
          describe_locked_memory(facts.limits.locked_memory_bytes), describe_core_dumps(facts)};
}

}  // namespace lockstep::doctor
