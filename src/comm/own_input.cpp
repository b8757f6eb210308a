#include "comm/own_input.h"

#include <algorithm>
#include <cstring>

namespace lockstep {
namespace {

std::size_t first_byte(const InputPiece& piece) {
  return piece.first * size_of(piece.values.dtype());
}

}  // namespace

OwnInput::Run OwnInput::at(std::size_t offset, std::size_t most) const {
  const auto next =
      std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                       [](std::size_t place, const InputPiece& piece) { return place < first_byte(piece); });
  if (next != pieces_.begin()) {
    const InputPiece& piece = *(next - 1);
    const std::size_t into = offset - first_byte(piece);
    if (into < piece.values.bytes()) {
      return {piece.values.data() + into, std::min(most, piece.values.bytes() - into)};
    }
  }
  const std::size_t gap = next == pieces_.end() ? most : first_byte(*next) - offset;
  return {part_.data() + offset, std::min(most, gap)};
}

void OwnInput::collect() {
  for (const InputPiece& piece : pieces_) {
    if (piece.values.bytes() > 0) {  // an empty one may be a null pointer, which memcpy does not take
      std::memcpy(part_.data() + first_byte(piece), piece.values.data(), piece.values.bytes());
    }
  }
  pieces_ = {};
}

}  // namespace lockstep
