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
  constexpr std::size_t kWidth = 64;
  std::array<std::uint8_t, kWidth> mine{};
  std::copy_n(text.begin(), std::min(text.size(), kWidth), mine.begin());
  std::vector<std::uint8_t> all(kWidth * static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(mine, all, {.label = label});
  std::vector<std::string> texts;
  for (auto begin = all.begin(); begin != all.end(); begin += kWidth) {
    texts.emplace_back(begin, std::find(begin, begin + kWidth, 0));
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
