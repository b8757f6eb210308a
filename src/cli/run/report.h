#pragma once

// What the launcher says at the end of an attempt that did not end well: who failed first and how, in its own words
// and in its last lines; who failed because of it; what the launcher had to stop; where the logs are.

#include <filesystem>
#include <string>

#include "cli/run/ending.h"
#include "cli/run/plan.h"
#include "cli/run/verdict.h"

namespace lockstep::run {

// One attempt with what came of it.
struct AttemptReport {
  int attempt = 0;
  std::filesystem::path log_folder = {};  // empty: no files
  AttemptOutcome outcome = {};
  Verdict verdict = {};
  RestartAdvice advice = {};
};

// Several lines, the last without a newline; empty when all went well.
std::string report_text(const Plan& plan, const AttemptReport& report);

// What is odd about an attempt in which all went well; empty when nothing is.
std::string remark_text(const Plan& plan, const AttemptReport& report);

// "was killed by SIGKILL: out of memory, says its control group"
std::string how_it_ended(const WorkerEnding& ending);

}  // namespace lockstep::run
