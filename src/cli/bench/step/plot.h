#pragma once

// The report as a picture: one panel for each case, one bar for each variant.

#include <string>

#include "cli/bench/step/report.h"

namespace lockstep::bench::step {

// A whole SVG file.
std::string render_svg(const Report& report);

}  // namespace lockstep::bench::step
