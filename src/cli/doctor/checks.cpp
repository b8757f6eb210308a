#include "cli/doctor/checks.h"

#include <iterator>

namespace lockstep::doctor {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kWarning:
      return "warning";
    case Status::kProblem:
      return "problem";
  }
  return "unknown";
}

std::vector<Check> judge(const Facts& facts) {
  std::vector<Check> all;
  const auto append = [&all](std::vector<Check> checks) {
    all.insert(all.end(), std::make_move_iterator(checks.begin()), std::make_move_iterator(checks.end()));
  };
  append(judge_processor(facts));
  append(judge_memory(facts));
  append(judge_kernel(facts.kernel));
  append(judge_limits(facts));
  append(judge_torch(facts));
  append(judge_backends(facts.backends));
  return all;
}

}  // namespace lockstep::doctor
