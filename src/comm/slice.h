#pragma once

// How ranks share the work on one buffer.

#include <cstddef>

namespace lockstep {

struct Slice {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// The part of `bytes` that belongs to `rank`: whole cache lines, contiguous, in rank order.
Slice slice_of(std::size_t bytes, int ranks, int rank);

}  // namespace lockstep
