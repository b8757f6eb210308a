#pragma once

// A contiguous range of a rank's input to a collective that lies outside the buffer it passes, so that it need not be
// copied there first.

#include <cstddef>

#include "lockstep/buffer.h"

namespace lockstep {

struct InputPiece {
  std::size_t first = 0;  // its first element, as an index into the rank's own slice
  ConstBuffer values;
};

}  // namespace lockstep
