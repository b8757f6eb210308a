#include "reduce/step_tail.h"

#include <algorithm>

namespace lockstep {
namespace {

// Samples, then one element per rank, then one per gradient.
constexpr std::size_t kSamples = 0;
constexpr std::size_t kRanks = 1;

}  // namespace

std::size_t tail_size(int ranks, std::size_t gradients) {
  return kRanks + static_cast<std::size_t>(ranks) + gradients;
}

void write_tail(const StepTail& tail, int rank, int ranks, std::span<float> out) {
  std::fill(out.begin(), out.end(), 0.0F);
  out[kSamples] = tail.has_data ? static_cast<float>(tail.samples) : 0.0F;
  out[kRanks + static_cast<std::size_t>(rank)] = tail.has_data ? 1.0F : 0.0F;
  for (std::size_t i = 0; i < tail.used.size(); ++i) {
    out[kRanks + static_cast<std::size_t>(ranks) + i] = tail.used[i] ? 1.0F : 0.0F;
  }
}

TailTotals read_tail(std::span<const float> averages, int ranks) {
  TailTotals totals;
  totals.mean_samples = averages[kSamples];
  const auto flags = averages.subspan(kRanks);
  const auto split = static_cast<std::size_t>(ranks);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    (i < split ? totals.has_data : totals.used).push_back(flags[i] > 0);
  }
  return totals;
}

}  // namespace lockstep
