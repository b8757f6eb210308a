#pragma once

// File and line of code that a worker named by its address.

#include <string>

namespace lockstep::run {

// Replaces "(addr2line -e PROGRAM ADDRESS has the line)" by "(file.cpp:42)". `text` stays as it is when there is no
// addr2line, or the program has no line numbers.
std::string with_code_line(const std::string& text);

}  // namespace lockstep::run
