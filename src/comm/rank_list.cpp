#include "comm/rank_list.h"

#include <fmt/format.h>

namespace lockstep {

std::string rank_list(const std::vector<int>& ranks) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) {
      ++last;
    }
    if (last - first >= 2) {
      parts.push_back(fmt::format("{} to {}", ranks[first], ranks[last]));
    } else {
      for (std::size_t i = first; i <= last; ++i) {
        parts.push_back(fmt::format("{}", ranks[i]));
      }
    }
    first = last + 1;
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return text;
}

}  // namespace lockstep
