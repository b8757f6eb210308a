#pragma once

// Ranks as people list them: "3", "1 and 4", "1, 4 and 7 to 12".

#include <string>
#include <vector>

namespace lockstep {

// `ranks` is sorted and has no duplicates.
std::string rank_list(const std::vector<int>& ranks);

}  // namespace lockstep
