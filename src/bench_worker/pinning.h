#pragma once

// Which core a rank runs on.

namespace lockstep::bench {

// How many cores this process may use.
int usable_cores();

// Keeps this thread, and those that it starts, on core `rank` of the usable ones, counted round and round.
void pin_to_core(int rank);

}  // namespace lockstep::bench
