#include "cli/run/line_prefix.h"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace lockstep::run {
namespace {

std::optional<std::string> field_text(std::string_view name, const PrefixFields& fields) {
  if (name == "role_name") {
    return std::string(fields.role);
  }
  if (name == "rank") {
    return std::to_string(fields.rank);
  }
  if (name == "local_rank") {
    return std::to_string(fields.local_rank);
  }
  if (name == "hostname") {
    return std::string(fields.host);
  }
  return std::nullopt;
}

}  // namespace

std::string line_prefix(std::string_view pattern, const PrefixFields& fields) {
  std::string text;
  while (!pattern.empty()) {
    const auto begin = pattern.find("${");
    const auto end = begin != std::string_view::npos ? pattern.find('}', begin) : begin;
    if (end == std::string_view::npos) {
      break;
    }
    const auto value = field_text(pattern.substr(begin + 2, end - begin - 2), fields);
    text += pattern.substr(0, begin);
    text += value.value_or(std::string(pattern.substr(begin, end - begin + 1)));
    pattern.remove_prefix(end + 1);
  }
  text += pattern;
  return text;
}

std::string colored_prefix(std::string_view prefix, int rank) {
  // No red, which suggests an error, and no black or white, one of which is the background.
  static constexpr std::array kColors = {36, 33, 35, 32, 34, 96, 93, 95, 92, 94};
  return fmt::format("\x1b[{}m{}\x1b[0m", kColors[static_cast<std::size_t>(rank) % kColors.size()], prefix);
}

}  // namespace lockstep::run
