#include "cli/doctor/size_text.h"

#include <fmt/format.h>

#include <array>

namespace lockstep::doctor {

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  constexpr double kNextUnit = 1023.95;  // from here on, one decimal would round to 1024.0
  auto number = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (number >= kNextUnit && unit + 1 < kUnits.size()) {
    number /= 1024;
    ++unit;
  }
  std::string text = fmt::format("{:.1f}", number);
  if (text.ends_with(".0")) {
    text.resize(text.size() - 2);
  }
  return fmt::format("{} {}", text, kUnits.at(unit));
}

}  // namespace lockstep::doctor
