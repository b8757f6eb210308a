#include "cli/bench/training_summary.h"

#include "cli/bench/statistics.h"

namespace lockstep::bench {

TrainingSummary summarize(const Measurements& seen) {
  constexpr double kTen = 0.1;
  constexpr double kNinety = 0.9;
  return {.median_ms = median(seen.times_ms),
          .p10_ms = quantile(seen.times_ms, kTen),
          .p90_ms = quantile(seen.times_ms, kNinety),
          .peak_rss_mb = static_cast<double>(seen.peak_rss_bytes) / 1e6,
          .total_memory_mb = static_cast<double>(seen.total_memory_bytes) / 1e6,
          .samples = seen.times_ms.size()};
}

}  // namespace lockstep::bench
