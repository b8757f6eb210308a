#pragma once

// Reports to the launcher why this process failed.
//
// A launcher (`lockstep run`, torchrun) names a file to which a failing worker may write the cause; the launcher's
// report then shows it instead of an exit code. After World::join(), an exception that escapes from any thread of the
// program is written there automatically, with its causes and the stack at the point of the throw. A program that
// catches its own exceptions uses one of these:
//
//   int main() {
//     return lockstep::guard_main([] {
//       auto world = lockstep::World::join();
//       ...
//       return 0;
//     });
//   }
//
// Without a launcher nothing is written. If a process fails several times, the first failure counts.

#include <exception>
#include <functional>

namespace lockstep {

// The exit status that means: nothing is wrong with this process, start it again. EX_TEMPFAIL of sysexits.h.
inline constexpr int kExitTryAgain = 75;

// Writes the cause to the launcher's file.
void report_failure(const std::exception_ptr& exception) noexcept;

// The exit status for this exception: 2 when the configuration is wrong, kExitTryAgain when the ranks did not join in
// time, else 1.
int exit_code_for(const std::exception_ptr& exception) noexcept;

// Runs `program` and returns its result. An exception is logged, reported and turned into an exit status.
int guard_main(const std::function<int()>& program) noexcept;

}  // namespace lockstep
