#pragma once

// The name of this host.

#include <string>

namespace lockstep {

// As the kernel reports it. Throws Error{kSystem}.
std::string this_host_name();

}  // namespace lockstep
