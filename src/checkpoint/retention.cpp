#include "checkpoint/retention.h"

#include <algorithm>

namespace lockstep::checkpoint {
namespace {

// `saved` is sorted by step.
std::optional<std::int64_t> best_step(const std::vector<SavedStep>& saved, Better better) {
  std::optional<SavedStep> best;
  for (const SavedStep& candidate : saved) {
    if (!candidate.metric) {
      continue;
    }
    const bool beaten = best && (better == Better::kLower ? *best->metric < *candidate.metric
                                                          : *best->metric > *candidate.metric);
    if (!beaten) {
      best = candidate;
    }
  }
  return best ? std::optional(best->step) : std::nullopt;
}

}  // namespace

std::vector<std::int64_t> steps_to_remove(std::vector<SavedStep> saved, const RetentionRules& rules) {
  std::sort(saved.begin(), saved.end(),
            [](const SavedStep& a, const SavedStep& b) { return a.step < b.step; });
  const auto best = rules.keep_best ? best_step(saved, *rules.keep_best) : std::nullopt;
  const std::size_t last = std::min(saved.size(), std::max<std::size_t>(rules.keep_last, 1));
  std::vector<std::int64_t> removed;
  for (std::size_t i = 0; i < saved.size() - last; ++i) {
    const std::int64_t step = saved[i].step;
    const bool major = rules.keep_every > 0 && step % rules.keep_every == 0;
    if (!major && step != best) {
      removed.push_back(step);
    }
  }
  return removed;
}

}  // namespace lockstep::checkpoint
