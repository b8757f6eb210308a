#pragma once

// Says what was hit when somebody writes to memory that is mapped to be read only. The process still dies of it, by
// SIGSEGV, but with a message on stderr first, which names the code that did it where the stack has it:
//
//   const WriteGuard guard({{weights, bytes, "somebody wrote to the weights", "only the optimizer may"}});
//
//   lockstep: somebody wrote to the weights, in train+0x1a2b3 (addr2line -e ./train 0x1a2b3 has the line): only the ...
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
    std::string message;      // what happened, in half a line
    std::string advice = {};  // what to do instead
  };

  explicit WriteGuard(std::vector<Place> places);
  ~WriteGuard();
  WriteGuard(const WriteGuard&) = delete;
  WriteGuard& operator=(const WriteGuard&) = delete;

  // Is told the message as well, without "lockstep: ", from within the handler: it may only do what a handler may.
  using Witness = void (*)(const char* text, std::size_t size);
  static void set_witness(Witness witness);

  // Whether a place of any guard of this process has this address.
  static bool covers(const void* address);

 private:
  struct Table;

  std::unique_ptr<Table> table_;
};

}  // namespace lockstep
