#pragma once

// What a training step goes through on the whole host: parameters, gradients and the momentum of the optimizer.

#include <cstdint>

#include "cli/bench/scaling/observations.h"

namespace lockstep::bench::scaling {

// Of all ranks; what they share or divide among them counts once.
std::uint64_t working_set_bytes(const Point& point, Method method);

}  // namespace lockstep::bench::scaling
