#pragma once

// Decides which checkpoints of a run may be removed. Touches nothing.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::checkpoint {

enum class Better { kLower, kHigher };

// A checkpoint stays if any of these rules keeps it. The newest always stays.
struct RetentionRules {
  std::size_t keep_last = 3;             // this many of the newest
  std::optional<Better> keep_best = {};  // the one with the best metric; the newest of equals
  std::int64_t keep_every = 0;           // those whose step is a multiple of this; 0: none
};

struct SavedStep {
  std::int64_t step = 0;
  std::optional<double> metric = {};
};

// The steps that no rule keeps, oldest first, whatever the order of `saved`.
std::vector<std::int64_t> steps_to_remove(std::vector<SavedStep> saved, const RetentionRules& rules);

}  // namespace lockstep::checkpoint
