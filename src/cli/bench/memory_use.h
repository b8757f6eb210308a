#pragma once

// How much memory worker processes need: each separately, and all of a group with shared memory counted once. Read from
// outside, so that every kind of worker is measured in the same way.

#include <sys/types.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace lockstep::bench {

// The memory of one process, in bytes, as the kernel counts resident pages.
struct MemoryUse {
  std::size_t peak_rss = 0;  // the maximum so far, including shared pages
  std::size_t rss = 0;       // now
  std::size_t own = 0;       // part of rss: anonymous memory (heap and stacks)
  std::size_t shared = 0;    // part of rss: its share of shared memory; a page of n processes counts 1/n
  std::size_t files = 0;     // part of rss: programs and libraries
};

// Parses /proc/PID/status and /proc/PID/smaps_rollup. Throws Error{kSystem} when a line is missing.
MemoryUse parse_memory_use(std::string_view status, std::string_view smaps_rollup);

// For a process of this user. Throws Error{kSystem} when it is gone or the kernel does not tell.
MemoryUse memory_use_of(pid_t process);

// The memory of processes that work together.
//   now   their anonymous memory, their shares of shared memory, which add up to all of it, and the programs and
//         libraries of the process that has most of them: the kernel shares these among all processes.
//   peak  the current memory plus each process's excess at its peak. Between two steps everything permanent is
//         present; memory that comes and goes within a step is private, so it is not counted twice. The processes may
//         peak at different times, so this is an upper bound. Training in lockstep comes close to it.
std::size_t memory_now(const std::vector<MemoryUse>& processes);
std::size_t memory_at_peak(const std::vector<MemoryUse>& processes);

}  // namespace lockstep::bench
