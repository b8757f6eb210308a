#pragma once

// Combining the buffers of several ranks element by element. One kernel per type and operation, compiled once
// for each instruction set and chosen at run time; all of them give the same bits.
//
// The order is a fixed binary tree over the sources: a subtree of n sources is its first m combined with the
// rest, m being the largest power of two below n. So ((0 1) (2 3)) for four and ((0 1) (2 3)) 4 for five. It
// depends on nothing else: not on how a buffer is cut, not on who arrived first.

#include <cstddef>
#include <string_view>

#include "lockstep/dtype.h"

namespace lockstep {

inline constexpr int kMaxReduceSources = 1024;

struct ReduceJob {
  const std::byte* const* sources;
  int source_count;  // 1 to kMaxReduceSources
  // The result goes to each of these. One may be a source itself, at exactly the same address; any other
  // overlap is not allowed.
  std::byte* const* destinations;
  int destination_count;
  std::size_t count;  // elements
};

using ReduceKernel = void (*)(const ReduceJob& job);

enum class InstructionSet { kPlain, kAvx2, kAvx512 };

std::string_view to_string(InstructionSet set);

// The widest one that this processor has.
InstructionSet best_instruction_set();

ReduceKernel reduce_kernel(DType dtype, ReduceOp op, InstructionSet set = best_instruction_set());

}  // namespace lockstep
