#pragma once

// What the kernel tells about processes, any of which may end while it is read.

#include <sys/types.h>

#include <string>
#include <string_view>

namespace lockstep {

// The file `name` of /proc/PID. Empty when it cannot be read, or no longer.
std::string read_process_file(pid_t pid, std::string_view name);

// 0 when there is no such process.
pid_t parent_of(pid_t pid);

}  // namespace lockstep
