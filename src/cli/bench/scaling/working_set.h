#pragma once

// The data that a training step touches on the whole host: parameters, gradients and the momentum of the optimizer.

#include <cstdint>

#include "cli/bench/scaling/observations.h"

namespace lockstep::bench::scaling {

// Over all ranks; data that they share or divide counts once.
std::uint64_t working_set_bytes(const Point& point, Method method);

}  // namespace lockstep::bench::scaling
