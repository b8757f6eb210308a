#pragma once

// Says what was hit when somebody writes to memory that is mapped to be read only. The process still dies of it, by
// SIGSEGV, but with a message on stderr first:
//
//   const WriteGuard guard({{weights, bytes, "the weights are not to be written: ..."}});
//
// The first guard installs a handler of SIGSEGV, which stays. Faults elsewhere go to the handler that was there before.
// A system call that is handed such memory to write to fails with EFAULT instead, and nobody notices here.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace lockstep {

class WriteGuard {
 public:
  struct Place {
    const std::byte* begin = nullptr;
    std::size_t bytes = 0;
    std::string message;  // one line
  };

  explicit WriteGuard(std::vector<Place> places);
  ~WriteGuard();
  WriteGuard(const WriteGuard&) = delete;
  WriteGuard& operator=(const WriteGuard&) = delete;

  // Whether a place of any guard of this process has this address.
  static bool covers(const void* address);

 private:
  struct Table;

  std::unique_ptr<Table> table_;
};

}  // namespace lockstep
