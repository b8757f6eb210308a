#pragma once

// What ranks tell each other about a step besides the gradients, as counters that are averaged like gradients: which
// ranks used which gradient, which ranks have data, how many samples there are. The counters ride behind the last
// bucket, so no step needs an extra collective.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

// The state of a gradient in a step, on one rank or on any rank.
enum class GradientPart : std::uint8_t {
  kNone,
  kKept,  // the old value: no rank computed a new one
  kUsed,
};

struct StepTail {
  bool has_data = true;
  double samples = 1;                    // greater than 0
  std::vector<GradientPart> parts = {};  // by gradient; empty: not counted
};

struct TailTotals {
  std::vector<bool> has_data;  // by rank
  double mean_samples = 0;     // over all ranks, 0 for those without data; exact except for the averaging
  std::vector<GradientPart> parts;  // by gradient, the highest of any rank
};

// The number of elements of a tail.
std::size_t tail_size(int ranks, std::size_t gradients);
void write_tail(const StepTail& tail, int rank, int ranks, std::span<float> out);
// From the averages over all ranks.
TailTotals read_tail(std::span<const float> averages, int ranks);

}  // namespace lockstep
