#pragma once

// Tells the launcher why this process fails.
//
// A launcher (`lockstep run`, torchrun) names a file in which a worker that fails may say why; its report then shows
// the cause instead of an exit code. After World::join() an exception that escapes from the program, from any
// thread, is written there by itself, with the chain of its causes and the stack at the point where it was thrown.
// A program that catches its exceptions says it with one of these:
//
//   int main() {
//     return lockstep::guard_main([] {
//       auto world = lockstep::World::join();
//       ...
//       return 0;
//     });
//   }
//
// Without a launcher nothing is written. Of several failures of a process the first one counts.

#include <exception>
#include <functional>

namespace lockstep {

// What a process exits with to say: nothing is wrong with it, start it again. EX_TEMPFAIL of sysexits.h.
inline constexpr int kExitTryAgain = 75;

// Writes the cause to the launcher's file.
void report_failure(const std::exception_ptr& exception) noexcept;

// What a process that fails with it exits with: 2 when the configuration is wrong, kExitTryAgain when the ranks did not
// come together in time, else 1.
int exit_code_for(const std::exception_ptr& exception) noexcept;

// Runs `program` and returns its result. An exception is logged and reported, and becomes its exit code.
int guard_main(const std::function<int()>& program) noexcept;

}  // namespace lockstep
