#include "cli/bench/time_text.h"

#include <fmt/format.h>

#include <cmath>

namespace lockstep::bench {

std::string time_text(double time_ms) {
  const double size = std::abs(time_ms);
  const int decimals = size < 1 ? 3 : size < 10 ? 2 : size < 1000 ? 1 : 0;
  return fmt::format("{:.{}f}", time_ms, decimals);
}

}  // namespace lockstep::bench
