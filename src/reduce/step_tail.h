#pragma once

// What ranks tell each other about a step beside the gradients, as counters that are averaged like them: who used
// which gradient, who has data, how many samples there are. They ride behind the last bucket, so that no step
// needs a collective more.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

// What a gradient has in a step, on one rank or on any of them.
enum class GradientPart : std::uint8_t {
  kNone,
  kKept,  // what it was before: nobody had a reason for a new one
  kUsed,
};

struct StepTail {
  bool has_data = true;
  double samples = 1;                    // more than 0
  std::vector<GradientPart> parts = {};  // by gradient; empty: not counted
};

struct TailTotals {
  std::vector<bool> has_data;  // by rank
  double mean_samples = 0;  // over all ranks, those without data counting as 0; exact but for the mean itself
  std::vector<GradientPart> parts;  // by gradient, the most that a rank has
};

// The elements of a tail.
std::size_t tail_size(int ranks, std::size_t gradients);
void write_tail(const StepTail& tail, int rank, int ranks, std::span<float> out);
// From the averages over all ranks.
TailTotals read_tail(std::span<const float> averages, int ranks);

}  // namespace lockstep
