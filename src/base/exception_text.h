#pragma once

// Exceptions as text, beyond describe_exception(): with and without the stack that libtorch puts into what().

#include <exception>
#include <string>
#include <string_view>

namespace lockstep {

// The text without "Exception raised from ..." and the dozens of "frame #..." lines behind it. For people: what the
// exception says is before them, and the whole is in the launcher's error file.
std::string without_frames(std::string_view text);

// describe_exception() with nothing left out.
std::string describe_exception_in_full(const std::exception_ptr& exception);

}  // namespace lockstep
