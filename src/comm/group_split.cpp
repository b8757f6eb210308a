#include "comm/group_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace lockstep {

std::optional<GroupPlace> place_in_split(std::span<const std::int32_t> wishes, int rank,
                                         std::uint64_t split_number) {
  const std::int32_t color = wishes[2 * static_cast<std::size_t>(rank)];
  if (color < 0) {
    return std::nullopt;
  }
  std::vector<std::pair<std::int32_t, int>> members;  // key and old rank, in the new order
  for (std::size_t other = 0; other < wishes.size() / 2; ++other) {
    if (wishes[2 * other] == color) {
      members.emplace_back(wishes[2 * other + 1], static_cast<int>(other));
    }
  }
  std::sort(members.begin(), members.end());
  const auto mine =
      std::find_if(members.begin(), members.end(), [rank](const auto& m) { return m.second == rank; });
  return GroupPlace{.name = fmt::format("{}.{}", split_number, color),
                    .rank = static_cast<int>(mine - members.begin()),
                    .size = static_cast<int>(members.size())};
}

}  // namespace lockstep
