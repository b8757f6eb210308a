#include "cli/bench/step/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lockstep/error.h"

namespace lockstep::bench::step {
namespace {

// Sums in another order differ by far less, and another model or a wrong average by far more.
constexpr double kTolerance = 1e-4;

bool agree(double a, double b) {
  return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

[[noreturn]] void fail(const TrainingCase& training, const WarmUpLosses& a, const WarmUpLosses& b,
                       const std::string& difference) {
  throw Error(ErrorCode::kMismatch,
              fmt::format("{} and {} do not train the same: after the warm-up of {} {}", to_string(a.variant),
                          to_string(b.variant), to_string(training), difference));
}

void compare(const TrainingCase& training, const WarmUpLosses& a, const WarmUpLosses& b) {
  const std::size_t ranks = std::min(a.by_rank.size(), b.by_rank.size());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (!agree(a.by_rank[rank], b.by_rank[rank])) {
      fail(training, a, b,
           fmt::format("rank {} has a loss of {:.6f} with the one and {:.6f} with the other", rank,
                       a.by_rank[rank], b.by_rank[rank]));
    }
  }
}

// The loss of a whole batch is the mean over its equal parts.
void compare_with_whole(const TrainingCase& training, const WarmUpLosses& parts, const WarmUpLosses& whole) {
  const double mean = std::accumulate(parts.by_rank.begin(), parts.by_rank.end(), 0.0) /
                      static_cast<double>(parts.by_rank.size());
  if (!agree(mean, whole.by_rank.front())) {
    fail(training, parts, whole,
         fmt::format(
             "the ranks have a mean loss of {:.6f} with the one and the whole batch has {:.6f} with the "
             "other",
             mean, whole.by_rank.front()));
  }
}

const WarmUpLosses* first_with(LossKind kind, const std::vector<WarmUpLosses>& losses) {
  const auto found = std::find_if(losses.begin(), losses.end(),
                                  [&](const WarmUpLosses& some) { return loss_kind(some.variant) == kind; });
  return found != losses.end() ? &*found : nullptr;
}

}  // namespace

void require_agreement(const TrainingCase& training, const std::vector<WarmUpLosses>& losses) {
  for (const WarmUpLosses& some : losses) {
    compare(training, *first_with(loss_kind(some.variant), losses), some);
  }
  const WarmUpLosses* parts = first_with(LossKind::kInStep, losses);
  const WarmUpLosses* whole = first_with(LossKind::kWholeBatch, losses);
  if (parts != nullptr && whole != nullptr && !has_batch_norm(training.model)) {
    compare_with_whole(training, *parts, *whole);
  }
}

}  // namespace lockstep::bench::step
