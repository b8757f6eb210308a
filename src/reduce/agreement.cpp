#include "reduce/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "lockstep/error.h"

namespace lockstep {
namespace {

// FNV-1a; includes the end of each line.
std::uint64_t hash_of(const std::vector<std::string>& lines) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const std::string& line : lines) {
    for (const char character : line + '\n') {
      hash = (hash ^ static_cast<unsigned char>(character)) * 1099511628211ULL;
    }
  }
  return hash;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + '\n';
  }
  return text;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// The lines of every rank.
std::vector<std::vector<std::string>> gather_lines(Communicator& communicator, std::string_view what,
                                                   const std::vector<std::string>& lines,
                                                   std::span<const std::uint64_t> sizes) {
  const std::size_t longest = *std::max_element(sizes.begin(), sizes.end());
  std::string mine = joined(lines);
  mine.resize(longest);
  std::vector<std::byte> all(longest * sizes.size());
  communicator.all_gather(std::as_bytes(std::span(mine)), all, {.label = what});
  std::vector<std::vector<std::string>> gathered;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    gathered.push_back(
        split_lines({reinterpret_cast<const char*>(all.data()) + rank * longest, sizes[rank]}));
  }
  return gathered;
}

std::string line_or_nothing(const std::vector<std::string>& lines, std::size_t index) {
  return index < lines.size() ? lines[index] : "none";
}

[[noreturn]] void throw_difference(std::string_view what, int rank, const std::vector<std::string>& mine,
                                   int peer, const std::vector<std::string>& theirs) {
  std::size_t first = 0;
  while (first < std::min(mine.size(), theirs.size()) && mine[first] == theirs[first]) {
    ++first;
  }
  throw Error(
      ErrorCode::kMismatch,
      fmt::format("ranks differ from {} {} on: rank {} has {}, rank {} has {} (rank {} has {} in all, "
                  "rank {} {})",
                  what, first, rank, line_or_nothing(mine, first), peer, line_or_nothing(theirs, first), rank,
                  mine.size(), peer, theirs.size()))
      .with_rank(rank)
      .with_peer(peer);
}

}  // namespace

void require_equal_lines(Communicator& communicator, std::string_view what,
                         const std::vector<std::string>& lines) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const std::array<std::int64_t, 2> mine = {static_cast<std::int64_t>(hash_of(lines)),
                                            static_cast<std::int64_t>(joined(lines).size())};
  std::vector<std::int64_t> all(2 * ranks);
  communicator.all_gather(mine, all, {.label = what});
  std::vector<std::uint64_t> sizes(ranks);
  bool equal = true;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    equal = equal && all[2 * rank] == all[0] && all[2 * rank + 1] == all[1];
    sizes[rank] = static_cast<std::uint64_t>(all[2 * rank + 1]);
  }
  if (equal) {
    return;
  }
  // Not all ranks are equal, so some rank differs from this one.
  const auto everyone = gather_lines(communicator, what, lines, sizes);
  const auto& own = everyone[static_cast<std::size_t>(communicator.rank())];
  const auto other = std::find_if(everyone.begin(), everyone.end(),
                                  [&](const std::vector<std::string>& theirs) { return theirs != own; });
  throw_difference(what, communicator.rank(), own, static_cast<int>(other - everyone.begin()), *other);
}

}  // namespace lockstep
