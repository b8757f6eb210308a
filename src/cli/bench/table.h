#pragma once

// The report as a table for people.

#include <string>

#include "cli/bench/report.h"

namespace lockstep::bench {

std::string render_table(const Report& report);

}  // namespace lockstep::bench
