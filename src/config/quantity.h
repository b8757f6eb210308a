#pragma once

// Durations and sizes: numbers with a unit, exact in both directions.

#include <chrono>
#include <string>
#include <string_view>

#include "config/checked.h"
#include "lockstep/config_byte_size.h"

namespace lockstep::config {

// In the largest unit that divides it: "5s", "1500ms".
std::string to_text(std::chrono::nanoseconds duration);

// "200ms", "1.5s"; a multiple of `tick`. A number without a unit is a problem.
Checked<std::chrono::nanoseconds> parse_duration(std::string_view text, std::chrono::nanoseconds tick);

// "25MiB", "25MB", "4096"
Checked<ByteSize> parse_byte_size(std::string_view text);

}  // namespace lockstep::config
