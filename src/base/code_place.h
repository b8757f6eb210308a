#pragma once

// Which code of the user's it was, for a signal handler that has a fault to explain.

#include <cstddef>

namespace lockstep {

// Must have been called once before a handler asks: the first look at a stack loads a library.
void prepare_code_places();

// Writes "update(at::Tensor&), train+0x1a2b3 (addr2line -e ./train 0x1a2b3 has the line)" to `text` and returns its
// length: the innermost function on the stack of the interrupted code (the third argument of its handler) that is
// neither libtorch's nor ours. The name is there if it is exported. 0 when there is no such function, as in a thread that
// a library started.
//
// Names are demangled, which takes memory from the heap: not for faults that may come from within malloc().
std::size_t describe_code_place(const void* context, char* text, std::size_t capacity);

}  // namespace lockstep
