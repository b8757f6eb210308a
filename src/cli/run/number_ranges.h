#pragma once

// Formats lists of ranks and cores for people.

#include <string>
#include <vector>

namespace lockstep::run {

// "0-3,8" for numbers in ascending order.
std::string number_ranges(const std::vector<int>& numbers);

}  // namespace lockstep::run
