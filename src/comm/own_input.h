#pragma once

// What this rank adds to its own part of a reduction in place. Nobody else reads that, so it may lie in pieces outside
// the buffer; where there is no piece, it is in the buffer.

#include <cstddef>
#include <span>

#include "comm/request.h"
#include "lockstep/input_piece.h"

namespace lockstep {

class OwnInput {
 public:
  struct Run {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
  };

  OwnInput() = default;
  explicit OwnInput(const Request& request) : part_(request.out), pieces_(request.own_pieces) {}

  bool in_pieces() const { return !pieces_.empty(); }
  // Where the part goes on at byte `offset`, and how far from there without a break; at most `most` bytes.
  Run at(std::size_t offset, std::size_t most) const;
  // Copies the pieces to their places in the buffer. From then on there are none.
  void collect();

 private:
  Buffer part_;
  std::span<const InputPiece> pieces_;
};

}  // namespace lockstep
