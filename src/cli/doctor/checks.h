#pragma once

// Judges the facts: pure functions from observations to their meaning for a multi-process job.
//
// With a problem Lockstep cannot work. A warning makes it slower, or will surprise the user later. Both come with
// advice. Everything else is ok, and is shown because it helps to know.

#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/facts.h"

namespace lockstep::doctor {

enum class Status { kOk, kWarning, kProblem };

// "ok", "warning", "problem"
std::string_view to_string(Status status);

struct Check {
  std::string section;
  std::string name;  // unique among all checks
  Status status = Status::kOk;
  std::string seen;
  std::string advice;  // empty when ok
};

// All checks, section by section.
std::vector<Check> judge(const Facts& facts);

std::vector<Check> judge_processor(const Facts& facts);
std::vector<Check> judge_memory(const Facts& facts);
std::vector<Check> judge_kernel(const KernelFacts& kernel);
std::vector<Check> judge_limits(const Facts& facts);
std::vector<Check> judge_torch(const Facts& facts);
std::vector<Check> judge_backends(const BackendFacts& backends);

// How many ranks can compute at the same time: the cores that affinity and quota permit, at least one.
int usable_cores(const Facts& facts);

}  // namespace lockstep::doctor
