#pragma once

// Reports a write to memory that is mapped read-only. The process still crashes with SIGSEGV, but first prints a
// message to stderr, which names the code that wrote if the stack has it:
//
//   const WriteGuard guard({{weights, bytes, "somebody wrote to the weights", "only the optimizer may"}});
//
//   lockstep: somebody wrote to the weights, in train+0x1a2b3 (addr2line -e ./train 0x1a2b3 has the line): only the ...
//
// The first guard installs a handler of SIGSEGV, which stays. Faults elsewhere go to the previous handler. A system
// call that is given this memory to write to fails with EFAULT instead, which is not detected here.

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

  // Also gets the message, without "lockstep: ", inside the handler: it must be async-signal-safe.
  using Witness = void (*)(const char* text, std::size_t size);
  static void set_witness(Witness witness);

  // Whether any guard of this process covers this address.
  static bool covers(const void* address);

 private:
  struct Table;

  std::unique_ptr<Table> table_;
};

}  // namespace lockstep
