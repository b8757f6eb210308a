#pragma once

// Which core a rank runs on.

namespace lockstep::bench {

// How many cores this process may use.
int usable_cores();

// Pins this thread, and those that it starts, to core `rank` of the usable ones, modulo their number.
void pin_to_core(int rank);

}  // namespace lockstep::bench
