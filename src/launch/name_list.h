#pragma once

// Lists names in prose: "A", "A and B", "A, B and C".

#include <string>
#include <vector>

namespace lockstep {

std::string name_list(const std::vector<std::string>& names);

// With the verb: "A is", "A and B are".
std::string name_list_is(const std::vector<std::string>& names);

}  // namespace lockstep
