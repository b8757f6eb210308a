#pragma once

// Zeroed memory without a name that a process shares with the processes it forks.

#include <cstddef>
#include <span>

namespace lockstep::testing {

class SharedMemory {
 public:
  // Throws Error{kSystem}.
  explicit SharedMemory(std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Starts at a page, so it is aligned for any type.
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace lockstep::testing
