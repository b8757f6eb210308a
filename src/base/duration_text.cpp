#include "base/duration_text.h"

#include <fmt/format.h>

namespace lockstep {

std::string duration_text(std::chrono::nanoseconds duration) {
  using std::chrono::nanoseconds;
  if (duration < nanoseconds::zero()) {
    return "-" + duration_text(nanoseconds(duration == nanoseconds::min() ? nanoseconds::max() : -duration));
  }
  const auto ns = static_cast<double>(duration.count());
  if (ns < 1e3) {
    return fmt::format("{} ns", duration.count());
  }
  if (ns < 1e6) {
    return fmt::format("{:.1f} us", ns / 1e3);
  }
  if (ns < 1e9) {
    return fmt::format("{:.1f} ms", ns / 1e6);
  }
  if (ns < 60e9) {
    return fmt::format("{:.2f} s", ns / 1e9);
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < 3600) {
    return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  }
  return fmt::format("{} h {:02} min", seconds / 3600, seconds % 3600 / 60);
}

}  // namespace lockstep
