#pragma once

// The limits that control groups impose on this process: version 1, version 2, or both side by side.
//
// /proc/self/cgroup names the group for each hierarchy; /proc/self/mountinfo says where each hierarchy is mounted and
// which part of it. Any group on the way to the top may have a limit, so all are read and the tightest one counts.
// Inside a container the mount often shows only the container's own group: groups above it are not visible, and not
// reported.

#include <cstdint>
#include <optional>

#include "cli/doctor/facts.h"
#include "cli/doctor/host_files.h"

namespace lockstep::doctor {

CgroupLimits read_cgroup_limits(const HostFiles& files);

// How many processes of this process's group have been killed by the OOM killer so far; nothing if no group counts
// them.
std::optional<std::uint64_t> read_memory_kills(const HostFiles& files);

}  // namespace lockstep::doctor
