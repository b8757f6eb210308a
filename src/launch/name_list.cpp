#include "launch/name_list.h"

#include <cstddef>

namespace lockstep {

std::string name_list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

std::string name_list_is(const std::vector<std::string>& names) {
  return name_list(names) + (names.size() == 1 ? " is" : " are");
}

}  // namespace lockstep
