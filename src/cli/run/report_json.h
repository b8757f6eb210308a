#pragma once

// The same as JSON, for --report: all attempts, with every worker.

#include <string>
#include <vector>

#include "cli/run/report.h"

namespace lockstep::run {

std::string report_json(const Plan& plan, const std::vector<AttemptReport>& attempts, int exit_code);

}  // namespace lockstep::run
