#pragma once

// The report as a picture: the time outside compute and the memory over parameters, and the long run.

#include <string>

#include "cli/bench/scaling/report.h"

namespace lockstep::bench::scaling {

// A whole SVG file.
std::string render_svg(const Report& report);

}  // namespace lockstep::bench::scaling
