#pragma once

// Keeps large blocks in the process instead of returning them to the kernel after every step.

namespace lockstep {

void keep_large_blocks();

}  // namespace lockstep
