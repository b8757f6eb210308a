#pragma once

// What ranks tell each other about a step beside the gradients, as counters that are averaged like them: who used
// which gradient, who has data, how many samples there are. They ride behind the last bucket, so that no step
// needs a collective more.

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep {

// Elements of the tail for so many gradients.
std::size_t tail_size(std::size_t gradients);

struct StepTail {
  bool has_data = true;
  double samples = 1;
  std::vector<bool> used = {};  // by gradient; empty: not counted
};

void write_tail(const StepTail& tail, std::span<float> out);

struct TailTotals {
  int ranks_with_data = 0;
  double mean_samples = 0;  // over all ranks, those without data counting as 0
  std::vector<bool> used;
};

// From the averages over `ranks`.
TailTotals read_tail(std::span<const float> averages, int ranks);

}  // namespace lockstep
