#pragma once

// Finds the user's code that caused a fault, for a signal handler that explains it.

#include <cstddef>

namespace lockstep {

// Must be called once before a handler uses this: the first backtrace loads a library.
void prepare_code_places();

// Writes "update(at::Tensor&), train+0x1a2b3 (addr2line -e ./train 0x1a2b3 has the line)" to `text` and returns its
// length. This is the innermost function on the stack of the interrupted code (the third argument of its handler) that
// belongs neither to libtorch nor to Lockstep. The name is included if it is exported. Returns 0 if there is no such
// function, as in a thread started by a library.
//
// Demangling names allocates memory: not for faults that may occur inside malloc().
std::size_t describe_code_place(const void* context, char* text, std::size_t capacity);

}  // namespace lockstep
