#pragma once

// The part of World::join() that serves lockstep/failure.h.

namespace lockstep {

// From now on, an uncaught exception or a write to guarded memory is recorded in the launcher's file before the process
// dies as it would have.
void report_escaping_exceptions(int rank);

}  // namespace lockstep
