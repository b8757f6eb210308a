#pragma once

// Where the time of a step goes, as one bar per rank: who waits for whom is seen at a glance.

#include <string>
#include <vector>

#include "observe/report.h"

namespace lockstep {

// Of many ranks, the slowest. Nothing without ranks.
std::string render_step_times(const std::vector<RankTimes>& ranks);

}  // namespace lockstep
