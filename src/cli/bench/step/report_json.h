#pragma once

// The report as JSON. Format 1: bench/README.md describes it.

#include <string>

#include "cli/bench/step/report.h"

namespace lockstep::bench::step {

std::string to_json_text(const Report& report);

}  // namespace lockstep::bench::step
