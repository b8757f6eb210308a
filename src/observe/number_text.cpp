#include "observe/number_text.h"

#include <fmt/format.h>

#include <cmath>

namespace lockstep {

std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string value_text(double value) {
  const double size = std::abs(value);
  if (std::isnan(value)) {
    return "nan";
  }
  if (size < 1e6 && (size >= 1000 || value == std::trunc(value))) {
    return grouped(std::llround(value));
  }
  if (size < 1e-4 || size >= 1e6) {
    return fmt::format("{:.3g}", value);
  }
  return fmt::format("{:.{}f}", value, size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4);
}

std::string speed_text(double samples_per_second) {
  constexpr double kWholeFrom = 100;
  constexpr double kLargest = 1e15;
  if (samples_per_second >= kWholeFrom && samples_per_second < kLargest) {
    return grouped(std::llround(samples_per_second)) + " samples/s";
  }
  return fmt::format("{:.3g} samples/s", samples_per_second);
}

}  // namespace lockstep
