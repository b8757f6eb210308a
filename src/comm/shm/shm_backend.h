#pragma once

// The backend for ranks on one host: processes, or threads of one process, over shared memory.

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/deadline.h"
#include "comm/backend.h"

namespace lockstep {

struct ShmOptions {
  std::string token;            // the job's secret; equal on all ranks
  std::string group = "world";  // which group of the job
  int rank = 0;
  int size = 1;
  // Of each of the areas that collectives on ordinary memory go through; equal on all ranks. Larger means fewer
  // waits, smaller stays in the cache. At least 64 bytes per rank.
  std::size_t staging_bytes = 256 << 10;
  std::chrono::nanoseconds report_every = std::chrono::seconds(5);  // while ranks are missing
};

// Meets the other ranks; collective. Throws Error{kTimeout} naming the ranks that did not come.
std::shared_ptr<Backend> join_shm(const ShmOptions& options, const Deadline& deadline);

}  // namespace lockstep
