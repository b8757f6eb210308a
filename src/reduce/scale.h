#pragma once

// Multiplies a buffer of floating-point numbers by a factor, element by element.

#include "lockstep/buffer.h"

namespace lockstep {

void scale(const Buffer& buffer, double factor);

}  // namespace lockstep
