#pragma once

// The limits that control groups put on this process, version 1, version 2 and both side by side.
//
// /proc/self/cgroup names the group per hierarchy, /proc/self/mountinfo says where each hierarchy is mounted
// and which part of it. A limit may sit on any group on the way to the top, so all are read and the tightest
// one counts. Inside a container the mount often shows only the container's own group: what lies above it is
// not visible, and not reported.

#include <cstdint>
#include <optional>

#include "cli/doctor/facts.h"
#include "cli/doctor/host_files.h"

namespace lockstep::doctor {

CgroupLimits read_cgroup_limits(const HostFiles& files);

// How many processes of this process's group were killed for want of memory so far; nothing when no group counts.
std::optional<std::uint64_t> read_memory_kills(const HostFiles& files);

}  // namespace lockstep::doctor
