#pragma once

// What the harness must know about the sanitizer that the tests are built with. One of sanitizer_none.cpp,
// sanitizer_address.cpp and sanitizer_thread.cpp is compiled.

namespace lockstep::testing {

// Threads that the sanitizer runs in every process; it looks after them itself when the process forks.
int sanitizer_threads();

// Ends the process with a report on standard error if it has leaked memory. A forked rank leaves by _exit(),
// which skips the check at the end of a process.
void check_for_leaks();

}  // namespace lockstep::testing
