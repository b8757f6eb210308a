#pragma once

// A summary of the measurements of a team of training workers.

#include <cstddef>
#include <string_view>

#include "cli/bench/measurements.h"

namespace lockstep::bench {

struct TrainingSummary {
  double median_ms = 0;  // of a step
  double p10_ms = 0;
  double p90_ms = 0;
  double peak_rss_mb = 0;      // of the largest rank, in 10^6 bytes
  double total_memory_mb = 0;  // of all ranks, shared memory counted once
  std::size_t samples = 0;
};

// Throws Error{kInvalidArgument} when no step was measured.
TrainingSummary summarize(const Measurements& seen);

// The explanations of these numbers in reports.
inline constexpr std::string_view kSampleFormula = "the time of the slowest rank in one step";
inline constexpr std::string_view kPeakRssFormula = "VmHWM of the largest rank, in 10^6 bytes";
inline constexpr std::string_view kTotalMemoryFormula =
    "over the ranks, Pss_Anon + Pss_Shmem + VmHWM - VmRSS, and the largest RssFile, in 10^6 bytes";

}  // namespace lockstep::bench
