#include "train/text_exchange.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace lockstep::train {

std::string broadcast_text(std::string_view text, std::string_view label, Communicator& communicator) {
  std::array<std::int64_t, 1> length = {static_cast<std::int64_t>(text.size())};
  communicator.broadcast(length, 0, {.label = label});
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  bytes.resize(static_cast<std::size_t>(length[0]));
  if (!bytes.empty()) {
    communicator.broadcast(bytes, 0, {.label = label});
  }
  return {bytes.begin(), bytes.end()};
}

std::vector<std::string> gather_texts(std::string_view text, std::string_view label,
                                      Communicator& communicator) {
  std::array<std::int64_t, 1> longest = {static_cast<std::int64_t>(text.size())};
  communicator.all_reduce(longest, ReduceOp::kMax, {.label = label});
  const auto width = static_cast<std::size_t>(longest[0]) + 1;
  std::vector<std::uint8_t> mine(text.begin(), text.end());
  mine.resize(width);
  std::vector<std::uint8_t> all(width * static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(mine, all, {.label = label});
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < all.size(); begin += width) {
    texts.emplace_back(reinterpret_cast<const char*>(&all[begin]));
  }
  return texts;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace lockstep::train
