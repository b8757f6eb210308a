#pragma once

// The launcher's message at the end of an attempt that failed: which rank failed first and how, in its own words and
// its last lines; which ranks failed because of it; which ones the launcher had to stop; where the logs are.

#include <filesystem>
#include <string>

#include "cli/run/ending.h"
#include "cli/run/plan.h"
#include "cli/run/verdict.h"

namespace lockstep::run {

// One attempt with its outcome.
struct AttemptReport {
  int attempt = 0;
  std::filesystem::path log_folder = {};  // empty: no files
  AttemptOutcome outcome = {};
  Verdict verdict = {};
  RestartAdvice advice = {};
};

// Several lines, without a newline at the end; empty if all went well.
std::string report_text(const Plan& plan, const AttemptReport& report);

// What is odd about a successful attempt; empty if nothing is.
std::string remark_text(const Plan& plan, const AttemptReport& report);

// "was killed by SIGKILL: out of memory, says its control group"
std::string how_it_ended(const WorkerEnding& ending);

}  // namespace lockstep::run
