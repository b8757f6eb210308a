#pragma once

// How the time of a step is spent, as one bar per rank: shows at a glance which rank waits for which.

#include <string>
#include <vector>

#include "observe/report.h"

namespace lockstep {

// If there are many ranks, the slowest. Empty without ranks.
std::string render_step_times(const std::vector<RankTimes>& ranks);

}  // namespace lockstep
