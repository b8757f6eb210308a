#include "cli/bench/step/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lockstep/error.h"

namespace lockstep::bench::step {
namespace {

// Sums in another order differ by far less, and another model or an average that is none by far more.
constexpr double kTolerance = 1e-4;

bool agree(double a, double b) {
  return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

void compare(const TrainingCase& training, const WarmUpLosses& a, const WarmUpLosses& b) {
  const std::size_t ranks = std::min(a.by_rank.size(), b.by_rank.size());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (!agree(a.by_rank[rank], b.by_rank[rank])) {
      throw Error(
          ErrorCode::kMismatch,
          fmt::format("{} and {} do not train the same: after the warm-up of {} rank {} has a loss of "
                      "{:.6f} with the one and {:.6f} with the other",
                      to_string(a.variant), to_string(b.variant), to_string(training), rank, a.by_rank[rank],
                      b.by_rank[rank]));
    }
  }
}

}  // namespace

void require_agreement(const TrainingCase& training, const std::vector<WarmUpLosses>& losses) {
  for (const bool averaging : {false, true}) {
    const WarmUpLosses* first = nullptr;
    for (const WarmUpLosses& some : losses) {
      if (averages(some.variant) != averaging) {
        continue;
      }
      if (first == nullptr) {
        first = &some;
      }
      compare(training, *first, some);
    }
  }
}

}  // namespace lockstep::bench::step
