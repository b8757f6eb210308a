#include "cli/run/signal_names.h"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <vector>

#include "base/exit_status.h"
#include "config/near_miss.h"

namespace lockstep::run {
namespace {

bool can_be_handled(int number) {
  return number != SIGKILL && number != SIGSTOP;
}

// In upper case, with the prefix SIG.
std::string canonical(std::string_view name) {
  std::string text;
  for (const char c : name) {
    text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return text.starts_with("SIG") ? text : "SIG" + text;
}

std::optional<int> find_signal(std::string_view name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  const std::string wanted = canonical(name);
  for (int candidate = 1; candidate < SIGRTMIN; ++candidate) {
    if ((is_number && candidate == number) || (!is_number && signal_name(candidate) == wanted)) {
      return candidate;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> signal_number(std::string_view name) {
  const auto number = find_signal(name);
  return number && can_be_handled(*number) ? number : std::nullopt;
}

std::string why_no_signal(std::string_view name) {
  if (const auto number = find_signal(name)) {
    return fmt::format("no process can handle {}", signal_name(*number));
  }
  std::vector<std::string> known;
  for (int candidate = 1; candidate < SIGRTMIN; ++candidate) {
    known.push_back(signal_name(candidate));
  }
  return fmt::format("'{}' is no signal{}", name,
                     config::suggestion(config::nearest_name(canonical(name), known)));
}

}  // namespace lockstep::run
