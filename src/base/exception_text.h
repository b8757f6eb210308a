#pragma once

// Exceptions as text, beyond describe_exception(): with and without the stack that libtorch adds to what().

#include <exception>
#include <string>
#include <string_view>

namespace lockstep {

// The text without "Exception raised from ..." and the dozens of "frame #..." lines after it. For people: the message
// precedes them, and the launcher's error file has all of it.
std::string without_frames(std::string_view text);

// describe_exception() with nothing omitted.
std::string describe_exception_in_full(const std::exception_ptr& exception);

}  // namespace lockstep
