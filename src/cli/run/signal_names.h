#pragma once

// Signals as users write them.

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::run {

// The number of "SIGTERM", "TERM" or "15", if a process can handle that signal.
std::optional<int> signal_number(std::string_view name);

// The reason, when signal_number() returns nothing.
std::string why_no_signal(std::string_view name);

}  // namespace lockstep::run
