#include "reduce/step_tail.h"

#include <cmath>

namespace lockstep {
namespace {

constexpr std::size_t kHasData = 0;
constexpr std::size_t kSamples = 1;
constexpr std::size_t kUsed = 2;

}  // namespace

std::size_t tail_size(std::size_t gradients) {
  return kUsed + gradients;
}

void write_tail(const StepTail& tail, std::span<float> out) {
  out[kHasData] = tail.has_data ? 1.0F : 0.0F;
  out[kSamples] = tail.has_data ? static_cast<float>(tail.samples) : 0.0F;
  for (std::size_t i = 0; i < tail.used.size(); ++i) {
    out[kUsed + i] = tail.used[i] ? 1.0F : 0.0F;
  }
}

TailTotals read_tail(std::span<const float> averages, int ranks) {
  TailTotals totals;
  totals.ranks_with_data = static_cast<int>(std::lround(averages[kHasData] * static_cast<float>(ranks)));
  totals.mean_samples = averages[kSamples];
  for (const float average : averages.subspan(kUsed)) {
    totals.used.push_back(average > 0);
  }
  return totals;
}

}  // namespace lockstep
