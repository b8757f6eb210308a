#pragma once

// All checks, and the verdict.

#include <cstddef>
#include <string>
#include <vector>

#include "cli/doctor/checks.h"

namespace lockstep::doctor {

struct Report {
  std::vector<Check> checks;

  std::size_t count(Status status) const;
  bool fit() const { return count(Status::kProblem) == 0; }
  // "this machine is fit: 14 ok, 2 warnings"
  std::string verdict() const;
  // Version 1 of the format: {"format", "lockstep", "verdict", "checks": [{"name", "status", "seen",
  // "advice"}]}, indented. The verdict is "fit" or "not fit"; a status is "ok", "warning" or "problem".
  std::string to_json_text() const;
};

}  // namespace lockstep::doctor
