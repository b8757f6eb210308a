#pragma once

// Where a benchmark runs, as far as it matters to its numbers.

#include <string>

#include "cli/bench/report.h"

namespace lockstep::bench {

// All of it but the load afterwards.
Machine describe_machine();

// "0.52 0.58 0.59": over 1, 5 and 15 minutes.
std::string load_averages();

}  // namespace lockstep::bench
