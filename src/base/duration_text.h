#pragma once

// Formats durations for people: "850 ns", "12.3 ms", "1.20 s", "2 min 05 s".

#include <chrono>
#include <string>

namespace lockstep {

std::string duration_text(std::chrono::nanoseconds duration);

}  // namespace lockstep
