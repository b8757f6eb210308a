#pragma once

// The report as a table for people.

#include <string>

#include "cli/bench/step/report.h"

namespace lockstep::bench::step {

std::string render_table(const Report& report);

}  // namespace lockstep::bench::step
