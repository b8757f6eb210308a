#pragma once

// The calling thread's stack as text, one line a frame.

#include <string>

namespace lockstep {

// "#0 lockstep::World::join(...) (train+0x1a2b3)"; the innermost `skip` frames are left out. A frame whose function
// is not exported has only its place in the file, for addr2line.
std::string backtrace_text(int skip);

}  // namespace lockstep
