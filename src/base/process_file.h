#pragma once

// Information of the kernel about processes, any of which may exit while it is read.

#include <sys/types.h>

#include <string>
#include <string_view>

namespace lockstep {

// The file `name` of /proc/PID. Empty if it cannot be read, or no longer.
std::string read_process_file(pid_t pid, std::string_view name);

// 0 if there is no such process.
pid_t parent_of(pid_t pid);

}  // namespace lockstep
