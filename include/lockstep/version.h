#pragma once

// The version of the library a program runs with.

namespace lockstep {

// "0.1.0", from the project() line of CMakeLists.txt, the only place that defines it.
const char* version();

}  // namespace lockstep
