#pragma once

// Formats numbers for people, in the progress line and in the report.

#include <cstdint>
#include <string>

namespace lockstep {

// "12,345"
std::string grouped(std::int64_t number);

// As many digits as one can read at a glance: "0.1234", "12.35", "7", "23,456", "1.2e-05", "nan", "-inf".
std::string value_text(double value);

// "12,345 samples/s", "0.25 samples/s"
std::string speed_text(double samples_per_second);

}  // namespace lockstep
