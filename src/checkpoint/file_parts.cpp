#include "checkpoint/file_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::checkpoint {
namespace {

constexpr std::string_view kOf = "-of-";

struct Part {
  std::string_view stem;
  std::string_view extension;
  int number = 0;
  int count = 0;
};

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_plain = !text.empty() && text.front() != '0' && text.front() != '-';
  return problem == std::errc() && end == text.data() + text.size() && is_plain ? std::optional(number)
                                                                                : std::nullopt;
}

std::optional<Part> parse(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view stem = name.substr(0, dot);
  const std::size_t of = stem.rfind(kOf);
  const std::size_t dash = of == std::string_view::npos ? of : stem.rfind('-', of - 1);
  if (dot == std::string_view::npos || dash == std::string_view::npos || dash == 0) {
    return std::nullopt;
  }
  const auto number = number_in(stem.substr(dash + 1, of - dash - 1));
  const auto count = number_in(stem.substr(of + kOf.size()));
  if (!number || !count || *number > *count) {
    return std::nullopt;
  }
  return Part{stem.substr(0, dash), name.substr(dot), *number, *count};
}

}  // namespace

std::string part_name(std::string_view whole, int number, int count) {
  const std::size_t dot = whole.rfind('.');
  return count == 1 ? std::string(whole)
                    : fmt::format("{}-{}{}{}{}", whole.substr(0, dot), number, kOf, count, whole.substr(dot));
}

std::string whole_name(std::string_view name) {
  const auto part = parse(name);
  return part ? fmt::format("{}{}", part->stem, part->extension) : std::string(name);
}

std::vector<std::string> parts_of(std::string_view whole, const Manifest& manifest, std::string_view folder) {
  int count = 0;
  for (const FileEntry& file : manifest.files) {
    if (whole_name(file.name) == whole) {
      const auto part = parse(file.name);
      count = std::max(count, part ? part->count : 1);
    }
  }
  std::vector<std::string> names;
  for (int number = 1; number <= count; ++number) {
    names.push_back(part_name(whole, number, count));
    if (manifest.find(names.back()) == nullptr) {
      throw Error(ErrorCode::kCorrupt, fmt::format("{} has no {}", config::printable(folder), names.back()));
    }
  }
  return names;
}

}  // namespace lockstep::checkpoint
