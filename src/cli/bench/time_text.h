#pragma once

// Times as the tables of the benchmarks have them.

#include <string>

namespace lockstep::bench {

// A number of ms with three digits or more: "0.123", "4.56", "78.9", "1234"; differences may be negative.
std::string time_text(double time_ms);

}  // namespace lockstep::bench
