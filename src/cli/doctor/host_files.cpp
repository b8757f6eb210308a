#include "cli/doctor/host_files.h"

#include <charconv>
#include <fstream>
#include <system_error>

namespace lockstep::doctor {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::string_view kWhiteSpace = " \t\r\n";

}  // namespace

std::filesystem::path HostFiles::below_root(std::string_view path) const {
  return root_ / std::filesystem::path(path).relative_path();
}

// Files in /proc report no size, so this reads until the end or the limit.
std::optional<std::string> HostFiles::read(std::string_view path) const {
  std::ifstream stream(below_root(path), std::ios::binary);
  if (!stream) {
    return std::nullopt;
  }
  std::string text(kMostBytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) {
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

std::string HostFiles::read_word(std::string_view path) const {
  return std::string(trimmed(read(path).value_or("")));
}

bool HostFiles::exists(std::string_view path) const {
  std::error_code unreadable_counts_as_absent;
  return std::filesystem::exists(below_root(path), unreadable_counts_as_absent);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      break;
    }
    text.remove_prefix(end + 1);
  }
  return parts;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::string> line_value(std::string_view text, std::string_view key, char separator) {
  for (const std::string_view line : split(text, '\n')) {
    const auto at = line.find(separator);
    if (at != std::string_view::npos && trimmed(line.substr(0, at)) == key) {
      return std::string(trimmed(line.substr(at + 1)));
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::doctor
