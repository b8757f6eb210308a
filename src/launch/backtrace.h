#pragma once

// The calling thread's stack as text, one line per frame.

#include <string>

namespace lockstep {

// "#0 lockstep::World::join(...) (train+0x1a2b3)"; omits the innermost `skip` frames. A frame whose function is not
// exported has only its offset in the file, for addr2line.
std::string backtrace_text(int skip);

}  // namespace lockstep
