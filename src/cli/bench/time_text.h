#pragma once

// Formats times for the tables of the benchmarks.

#include <string>

namespace lockstep::bench {

// A number of ms with at least three digits: "0.123", "4.56", "78.9", "1234"; differences may be negative.
std::string time_text(double time_ms);

}  // namespace lockstep::bench
