#include "cli/bench/step/ratio.h"

#include <fmt/format.h>

#include <vector>

namespace lockstep::bench::step {
namespace {

std::string best_of(std::span<const Variant> variants) {
  std::vector<std::string_view> names;
  for (const Variant variant : variants) {
    names.push_back(to_string(variant));
  }
  const std::string_view last = names.back();
  names.pop_back();
  return names.empty() ? std::string(last)
                       : fmt::format("the best of {} and {}", fmt::join(names, ", "), last);
}

}  // namespace

std::string formula(const Ratio& ratio) {
  return fmt::format("{}{} / {}", ratio.quantity == Quantity::kMemory ? "memory in all: " : "",
                     best_of(ratio.upper), best_of(ratio.lower));
}

bool reaches(const Ratio& ratio, double value) {
  return ratio.at_least ? value >= ratio.limit : value <= ratio.limit;
}

}  // namespace lockstep::bench::step
