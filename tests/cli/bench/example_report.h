#pragma once

// A small benchmark that never ran.

#include "cli/bench/report.h"

namespace lockstep::bench {

inline constexpr Point kSmallPoint{.ranks = 2, .bytes = 4096};
inline constexpr Point kLargePoint{.ranks = 2, .bytes = 1 << 20};

// At both points. At 4 KiB the medians are 2 us (lockstep), 80 us (gloo) and 3 us (openmpi), at 1 MiB
// 50 us, 1 ms and 100 us; the bounds are 1.2 us and 40.2 us.
Observations example_observations();

Report example_report();

}  // namespace lockstep::bench
