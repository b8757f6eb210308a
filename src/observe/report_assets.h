#pragma once

// What every report has the same: its style and its script, both written into the page.

#include <string_view>

namespace lockstep {

// report_style.cpp
std::string_view report_style();
// report_script.cpp
std::string_view report_script();

}  // namespace lockstep
