#include "launch/slurm_lists.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>

namespace lockstep {
namespace {

constexpr std::size_t kMaxNodes = 1 << 20;

using Names = std::vector<std::string>;

// Digits only.
std::optional<std::uint32_t> read_count(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Splits at commas outside brackets.
std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  bool in_brackets = false;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[' || text[at] == ']') {
      in_brackets = text[at] == '[';
    } else if (text[at] == ',' && !in_brackets) {
      parts.push_back(text.substr(start, at - start));
      start = at + 1;
    }
  }
  parts.push_back(text.substr(start));
  return parts;
}

// "08-10" is 08, 09, 10 and "12" is 12: numbers are as wide as the first of the range.
bool append_range(std::string_view text, Names& numbers) {
  const std::size_t dash = text.find('-');
  const std::string_view first_text = text.substr(0, dash);
  const auto first = read_count(first_text);
  const auto last = dash == std::string_view::npos ? first : read_count(text.substr(dash + 1));
  if (!first || !last || *last < *first || *last - *first >= kMaxNodes - numbers.size()) {
    return false;
  }
  for (std::uint64_t number = *first; number <= *last; ++number) {
    numbers.push_back(fmt::format("{:0{}}", number, first_text.size()));
  }
  return true;
}

// Expands the text between brackets.
std::optional<Names> expand_ranges(std::string_view text) {
  Names numbers;
  for (const std::string_view range : split_at_commas(text)) {
    if (!append_range(range, numbers)) {
      return std::nullopt;
    }
  }
  return numbers;
}

// Every beginning with every ending; the endings vary fastest.
std::optional<Names> combine(const Names& beginnings, const Names& endings) {
  if (beginnings.size() > kMaxNodes / endings.size()) {
    return std::nullopt;
  }
  Names names;
  names.reserve(beginnings.size() * endings.size());
  for (const std::string& beginning : beginnings) {
    for (const std::string& ending : endings) {
      names.push_back(beginning + ending);
    }
  }
  return names;
}

// One part of the list: plain text and brackets alternate.
std::optional<Names> expand_pattern(std::string_view text) {
  Names names = {""};
  while (!text.empty()) {
    std::optional<Names> endings;
    if (text.front() == '[') {
      const std::size_t close = text.find(']');
      if (close == std::string_view::npos) {
        return std::nullopt;
      }
      endings = expand_ranges(text.substr(1, close - 1));
      text.remove_prefix(close + 1);
    } else {
      const std::string_view plain = text.substr(0, text.find('['));
      if (plain.find(']') != std::string_view::npos) {
        return std::nullopt;
      }
      endings = Names{std::string(plain)};
      text.remove_prefix(plain.size());
    }
    auto longer = endings ? combine(names, *endings) : std::nullopt;
    if (!longer) {
      return std::nullopt;
    }
    names = std::move(*longer);
  }
  return names;
}

}  // namespace

std::optional<std::vector<int>> expand_task_counts(std::string_view text) {
  std::vector<int> counts;
  for (std::string_view part : split_at_commas(text)) {
    std::optional<std::uint32_t> nodes = 1;
    if (const std::size_t open = part.find("(x"); open != std::string_view::npos && part.ends_with(')')) {
      nodes = read_count(part.substr(open + 2, part.size() - open - 3));
      part = part.substr(0, open);
    }
    const auto tasks = read_count(part);
    if (!nodes || !tasks || *nodes == 0 || *tasks > kMaxNodes || *nodes > kMaxNodes - counts.size()) {
      return std::nullopt;
    }
    counts.insert(counts.end(), *nodes, static_cast<int>(*tasks));
  }
  return counts;
}

std::optional<std::vector<std::string>> expand_hosts(std::string_view text) {
  Names hosts;
  for (const std::string_view part : split_at_commas(text)) {
    const auto names = expand_pattern(part);
    if (part.empty() || !names || names->size() > kMaxNodes - hosts.size()) {
      return std::nullopt;
    }
    hosts.insert(hosts.end(), names->begin(), names->end());
  }
  return hosts;
}

}  // namespace lockstep
