#pragma once

// The report as a table for people.

#include <string>

#include "cli/bench/scaling/report.h"

namespace lockstep::bench::scaling {

std::string render_table(const Report& report);

}  // namespace lockstep::bench::scaling
