#pragma once

// Tells the launcher that a process crashed because it wrote to guarded memory: writes the same file as for exceptions,
// from a signal handler.

namespace lockstep {

// In effect from now on. Prepares what the handler needs (the path, space for the text). The handler first calls
// `claim`, which returns whether this is the first reported failure of the process.
void report_forbidden_writes(int rank, bool (*claim)());

}  // namespace lockstep
