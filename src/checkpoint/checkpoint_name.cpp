#include "checkpoint/checkpoint_name.h"

#include <fmt/format.h>

#include <charconv>

#include "base/random_token.h"

namespace lockstep::checkpoint {
namespace {

constexpr std::string_view kStepPrefix = "step-";
constexpr std::string_view kPartialPrefix = ".partial-";
constexpr std::size_t kTokenDigits = 32;

bool is_token(std::string_view text) {
  return text.size() == kTokenDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string checkpoint_name(std::int64_t step) {
  return fmt::format("{}{:08}", kStepPrefix, step);
}

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kStepPrefix)) {
    return std::nullopt;
  }
  std::int64_t step = -1;
  std::from_chars(name.data() + kStepPrefix.size(), name.data() + name.size(), step);
  return step >= 0 && checkpoint_name(step) == name ? std::optional(step) : std::nullopt;
}

std::string partial_name(std::int64_t step) {
  return fmt::format("{}{}-{}", kPartialPrefix, checkpoint_name(step), random_token());
}

std::optional<std::int64_t> step_of_partial(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (!name.starts_with(kPartialPrefix) || dash < kPartialPrefix.size() || !is_token(name.substr(dash + 1))) {
    return std::nullopt;
  }
  return step_of(name.substr(kPartialPrefix.size(), dash - kPartialPrefix.size()));
}

}  // namespace lockstep::checkpoint
