#include "reduce/step_tail.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace lockstep {
namespace {

// First the samples of each rank, then one element per gradient.
//
// A rank writes its samples into its own elements, where all other ranks have zeros, so the average of an element is
// its value divided by the number of ranks. An integer below 2^22 survives this: multiplied back, it is off by at most
// a quarter. So the 64 bits of a number travel as three such digits. All digits zero means no data, since samples are
// greater than 0.
constexpr std::size_t kDigits = 3;
constexpr int kDigitBits = 22;
constexpr std::uint64_t kDigitMask = (std::uint64_t{1} << kDigitBits) - 1;

// The flag of a gradient that is only kept: so small that the flags of all ranks together do not add up to one used
// gradient.
constexpr float kKeptFlag = 1.0F / (1 << 20);

using Digits = std::array<float, kDigits>;

Digits digits_of(double number) {
  auto bits = std::bit_cast<std::uint64_t>(number);
  Digits digits{};
  for (float& digit : digits) {
    digit = static_cast<float>(bits & kDigitMask);
    bits >>= kDigitBits;
  }
  return digits;
}

double number_from(std::span<const float> averages, int ranks) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kDigits; ++i) {
    const double digit = std::nearbyint(static_cast<double>(averages[i]) * ranks);
    bits |= static_cast<std::uint64_t>(digit) << (kDigitBits * static_cast<int>(i));
  }
  return std::bit_cast<double>(bits);
}

std::size_t first_flag(int ranks) {
  return kDigits * static_cast<std::size_t>(ranks);
}

float flag_of(GradientPart part) {
  switch (part) {
    case GradientPart::kNone:
      return 0;
    case GradientPart::kKept:
      return kKeptFlag;
    case GradientPart::kUsed:
      return 1;
  }
  return 0;
}

GradientPart part_from(float average, int ranks) {
  if (average * static_cast<float>(ranks) > 0.5F) {
    return GradientPart::kUsed;
  }
  return average > 0 ? GradientPart::kKept : GradientPart::kNone;
}

}  // namespace

std::size_t tail_size(int ranks, std::size_t gradients) {
  return first_flag(ranks) + gradients;
}

void write_tail(const StepTail& tail, int rank, int ranks, std::span<float> out) {
  std::fill(out.begin(), out.end(), 0.0F);
  if (tail.has_data) {
    const Digits digits = digits_of(tail.samples);
    std::copy(digits.begin(), digits.end(), out.subspan(first_flag(rank)).begin());
  }
  for (std::size_t i = 0; i < tail.parts.size(); ++i) {
    out[first_flag(ranks) + i] = flag_of(tail.parts[i]);
  }
}

TailTotals read_tail(std::span<const float> averages, int ranks) {
  TailTotals totals;
  double sum = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const double samples = number_from(averages.subspan(first_flag(rank), kDigits), ranks);
    totals.has_data.push_back(samples > 0);
    sum += samples;
  }
  totals.mean_samples = sum / ranks;
  for (const float flag : averages.subspan(first_flag(ranks))) {
    totals.parts.push_back(part_from(flag, ranks));
  }
  return totals;
}

}  // namespace lockstep
