#pragma once

// What all reports share: the style and the script, both embedded in the page.

#include <string_view>

namespace lockstep {

// report_style.cpp
std::string_view report_style();
// report_script.cpp
std::string_view report_script();

}  // namespace lockstep
