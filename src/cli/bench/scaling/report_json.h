#pragma once

// The report as JSON. Format 1: bench/README.md describes it.

#include <string>

#include "cli/bench/scaling/report.h"

namespace lockstep::bench::scaling {

std::string to_json_text(const Report& report);

}  // namespace lockstep::bench::scaling
