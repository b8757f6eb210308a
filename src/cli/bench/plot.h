#pragma once

// The report as a picture: time over size, both logarithmic, one panel for each number of ranks.

#include <string>

#include "cli/bench/report.h"

namespace lockstep::bench {

// A whole SVG file.
std::string render_svg(const Report& report);

}  // namespace lockstep::bench
