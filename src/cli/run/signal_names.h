#pragma once

// Signals as users write them.

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::run {

// Of "SIGTERM", "TERM" or "15", if it is one that a process can handle.
std::optional<int> signal_number(std::string_view name);

// For messages, when signal_number() has nothing.
std::string why_no_signal(std::string_view name);

}  // namespace lockstep::run
