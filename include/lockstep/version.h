#pragma once

// The version of the library a program runs with.

namespace lockstep {

// "0.1.0", from the project() line of CMakeLists.txt, which is its only source.
const char* version();

}  // namespace lockstep
