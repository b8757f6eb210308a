#pragma once

// Tells the launcher why a process dies of a write to guarded memory: the same file as for exceptions, written from
// within a signal handler.

namespace lockstep {

// From now on. What the handler needs (the path, room for the text) is laid out here. `claim` is asked before anything
// is written, and says whether this is the first failure of the process that is reported.
void report_forbidden_writes(int rank, bool (*claim)());

}  // namespace lockstep
