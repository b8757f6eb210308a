#include "cli/bench/left_out.h"

#include <fmt/format.h>

namespace lockstep::bench {

std::string left_out_lines(const LeftOut& left_out) {
  std::string text;
  for (const std::string& line : left_out) {
    text += fmt::format("left out   {}\n", line);
  }
  return text;
}

Error nothing_to_measure(const LeftOut& left_out) {
  return {ErrorCode::kInvalidConfig,
          fmt::format("there is nothing to measure{}", left_out.empty() ? "" : "; " + left_out.front())};
}

}  // namespace lockstep::bench
