#pragma once

// Values that a broken training run has and that every file and chart has to bear.

#include <limits>

namespace lockstep {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace lockstep
