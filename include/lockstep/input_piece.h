#pragma once

// A piece of what a rank brings to a collective that lies elsewhere than in the buffer it passes, so that it need not
// be copied there first.

#include <cstddef>

#include "lockstep/buffer.h"

namespace lockstep {

struct InputPiece {
  std::size_t first = 0;  // the element of the rank's own part that it begins with
  ConstBuffer values;
};

}  // namespace lockstep
