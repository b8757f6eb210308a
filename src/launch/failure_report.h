#pragma once

// What World::join() does for lockstep/failure.h.

namespace lockstep {

// From now on an exception that escapes, or a write to guarded memory, is written to the launcher's file before the
// process ends as it would have.
void report_escaping_exceptions(int rank);

}  // namespace lockstep
