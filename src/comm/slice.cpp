#include "comm/slice.h"

#include <algorithm>

namespace lockstep {

Slice slice_of(std::size_t bytes, int ranks, int rank) {
  constexpr std::size_t kLineBytes = 64;
  const std::size_t lines = (bytes + kLineBytes - 1) / kLineBytes;
  const auto boundary = [&](int index) {
    return std::min(bytes,
                    lines * static_cast<std::size_t>(index) / static_cast<std::size_t>(ranks) * kLineBytes);
  };
  return {boundary(rank), boundary(rank + 1) - boundary(rank)};
}

}  // namespace lockstep
