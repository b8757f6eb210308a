#pragma once

// What this host is called.

#include <string>

namespace lockstep {

// As the kernel has it. Throws Error{kSystem}.
std::string this_host_name();

}  // namespace lockstep
