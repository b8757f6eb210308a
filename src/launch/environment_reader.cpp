#include "launch/environment_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep {

std::optional<std::string> EnvironmentReader::text(std::string_view name) const {
  const auto found = environment_.find(std::string(name));
  return found == environment_.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> EnvironmentReader::integer(std::string_view name, std::int64_t least,
                                                       std::int64_t most) {
  const auto value = text(name);
  if (!value) {
    return std::nullopt;
  }
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), result);
  if (error != std::errc() || end != value->data() + value->size() || result < least || result > most) {
    problem(fmt::format("{}={} is not a number from {} to {}", name, config::in_quotes(*value), least, most));
    return std::nullopt;
  }
  return result;
}

std::optional<int> EnvironmentReader::number(std::string_view name, int least, int most) {
  const auto value = integer(name, least, most);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<std::uint32_t> EnvironmentReader::id(std::string_view name) {
  const auto value = integer(name, 0, std::numeric_limits<std::uint32_t>::max());
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

void EnvironmentReader::throw_problems() const {
  if (problems_.empty()) {
    return;
  }
  std::string text = "the environment does not say who this rank is:";
  for (const auto& problem : problems_) {
    text += "\n  " + problem;
  }
  throw Error(ErrorCode::kInvalidConfig, text).with_operation("join");
}

}  // namespace lockstep
