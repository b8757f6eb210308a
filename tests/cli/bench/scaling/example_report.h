#pragma once

// A small benchmark of growing work that never ran.

#include "cli/bench/scaling/report.h"

namespace lockstep::bench::scaling {

inline constexpr Point kOneSmall{.ranks = 1, .parameters = 1'000'000};
inline constexpr Point kFourSmall{.ranks = 4, .parameters = 1'000'000};
inline constexpr Point kFourLarge{.ranks = 4, .parameters = 100'000'000};

// On one rank compute takes 3 ms, no-comm 5 ms and a step 4 ms with a million parameters, which the cache of 100 MiB
// holds, and 2 ns for each parameter outside compute with 20, 50 and 100 million. On four ranks there are a million and a
// hundred million only, with 3 ms and 30 ms outside compute. Memory is 100 MB and 12 bytes for each parameter and rank.
// The long run of 8 windows has steps of 2 ms and 50 MB throughout.
Observations example_observations();

Report example_report();

}  // namespace lockstep::bench::scaling
