#pragma once

// A small benchmark that never ran.

#include "cli/bench/report.h"

namespace lockstep::bench {

// Two sizes with 2 ranks. At 4 KiB the medians are 2 us (lockstep), 80 us (gloo) and 3 us (openmpi), at 1 MiB
// 50 us, 1 ms and 100 us; the bounds are 1.2 us and 40.2 us.
Observations example_observations();

Report example_report();

}  // namespace lockstep::bench
