#pragma once

// The report as JSON. Format 1: bench/README.md describes it.

#include <string>

#include "cli/bench/report.h"

namespace lockstep::bench {

std::string to_json_text(const Report& report);

}  // namespace lockstep::bench
