#pragma once

// How much memory worker processes need: each by itself, and all of a group together with what they share counted
// once. Read from outside, so that every kind of worker is measured in the same way.

#include <sys/types.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace lockstep::bench {

// Of one process, in bytes, as the kernel counts resident pages.
struct MemoryUse {
  std::size_t peak_rss = 0;  // the most there was at any time, shared pages included
  std::size_t rss = 0;       // what there is now
  std::size_t own = 0;       // of that, anonymous memory: heap and stacks
  std::size_t shared = 0;    // of that, its part of shared memory: a page that n processes have counts 1/n
  std::size_t files = 0;     // of that, programs and libraries
};

// What /proc/PID/status and /proc/PID/smaps_rollup say. Throws Error{kSystem} when a line is not there.
MemoryUse parse_memory_use(std::string_view status, std::string_view smaps_rollup);

// Of a process of this user. Throws Error{kSystem} when it is gone or the kernel does not tell.
MemoryUse memory_use_of(pid_t process);

// What processes need that do one thing together.
//   now   their anonymous memory, their parts of the shared memory, which add up to all of it, and the programs and
//         libraries of the one that has most of them: the kernel shares these among all that run, whatever they are.
//   peak  what is there now and, for each process, what it had more at its peak. Between two steps all that lasts is
//         there; what comes and goes within a step is the process's own, so it is not counted twice. The processes
//         may have their peaks at different times: it is a bound that in-step training comes close to.
std::size_t memory_now(const std::vector<MemoryUse>& processes);
std::size_t memory_at_peak(const std::vector<MemoryUse>& processes);

}  // namespace lockstep::bench
