#pragma once

// Lists of ranks and cores as people write them.

#include <string>
#include <vector>

namespace lockstep::run {

// "0-3,8" for numbers in ascending order.
std::string number_ranges(const std::vector<int>& numbers);

}  // namespace lockstep::run
