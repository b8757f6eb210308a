#pragma once

// How the cost of data-parallel training grows with the number of parameters, and whether that is linear.
//
// A model that fits in the caches is faster per parameter than one in memory, without doing less work. A power law
// fitted through both would call linear work superlinear, even that of a single rank. So the time is fitted only
// through sizes whose parameters, gradients and momentum exceed the last-level cache by a factor.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/bench/line_fit.h"
#include "cli/bench/scaling/result.h"

namespace lockstep::bench::scaling {

// A cache with random replacement keeps a fifth of a working set twice its size from step to step, one with LRU
// nothing. And bare computation, which is subtracted and has no momentum, does not fit either.
inline constexpr std::uint64_t kCacheFactor = 2;

// Any power law fits two points.
inline constexpr std::size_t kFewestSizes = 3;

// The largest exponent that counts as linear; the margin is noise.
inline constexpr double kLargestExponent = 1.1;

// Why a size is not part of the fit.
enum class Unfit {
  kInCache,  // its working set is less than kCacheFactor times the cache
  kNoTime,   // a short step seemed no longer than its computation, because of noise: there is no logarithm
  kTooFew,   // suitable, but there are fewer than kFewestSizes
};

std::string_view to_string(Unfit reason);  // "in cache", "no time", "too few"

struct UnfittedSize {
  std::int64_t parameters = 0;
  Unfit reason = Unfit::kInCache;

  friend bool operator==(const UnfittedSize&, const UnfittedSize&) = default;
};

// For one number of ranks. Each measured size is either fitted or not.
struct Growth {
  int ranks = 1;
  std::vector<std::int64_t> fitted = {};  // numbers of parameters
  std::vector<UnfittedSize> unfitted = {};
  std::optional<std::int64_t> least_parameters = {};  // from here on a size exceeds the cache; if known
  std::optional<LineFit> time = {};                   // a power law of the time outside compute
  std::optional<bool> linear = {};     // nothing without a fit, or if the cache size is unknown
  std::optional<LineFit> memory = {};  // a line through all sizes: the peak bytes of all ranks
};

// Whether the cache may hold a significant part of it.
bool in_cache(const Result& result, const std::optional<std::uint64_t>& cache_bytes);

// Uses the results with this number of ranks. Without the size of the cache, fits all sizes and leaves `linear` empty.
Growth growth_on(int ranks, const std::vector<Result>& results,
                 const std::optional<std::uint64_t>& cache_bytes);

}  // namespace lockstep::bench::scaling
