#include "comm/slice.h"

#include <algorithm>

namespace lockstep {

Slice slice_of(std::size_t bytes, int ranks, int rank) {
  constexpr std::size_t kCacheLine = 64;
  const std::size_t lines = (bytes + kCacheLine - 1) / kCacheLine;
  const auto boundary = [&](int index) {
    return std::min(bytes,
                    lines * static_cast<std::size_t>(index) / static_cast<std::size_t>(ranks) * kCacheLine);
  };
  return {boundary(rank), boundary(rank + 1) - boundary(rank)};
}

}  // namespace lockstep
