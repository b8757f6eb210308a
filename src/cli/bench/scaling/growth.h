#pragma once

// How the cost of training together grows with the number of parameters, and whether that is linear.
//
// A model that the caches hold is faster per parameter than one that comes from memory, without doing less. A power
// through both would call linear work more than linear, even that of one rank alone. So the time is fitted through those
// sizes only whose parameters, gradients and momentum are larger than the last-level cache by a factor.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/bench/line_fit.h"
#include "cli/bench/scaling/result.h"

namespace lockstep::bench::scaling {

// Of twice its size, a cache that throws out at random keeps a fifth from step to step, one that throws out the oldest
// nothing. And bare computation, which is subtracted and has no momentum, does not fit either.
inline constexpr std::uint64_t kCacheFactor = 2;

// Through two points any power fits.
inline constexpr std::size_t kFewestSizes = 3;

// The largest exponent that counts as linear: what is left is noise.
inline constexpr double kLargestExponent = 1.1;

// Why a size has no part in the fit.
enum class Unfit {
  kInCache,  // its working set is not kCacheFactor times the cache
  kNoTime,  // a step took no longer than its computation, which noise can make of a short one; that has no logarithm
  kTooFew,  // it could be fitted, but there are not kFewestSizes like it
};

std::string_view to_string(Unfit reason);  // "in cache", "no time", "too few"

struct UnfittedSize {
  std::int64_t parameters = 0;
  Unfit reason = Unfit::kInCache;

  friend bool operator==(const UnfittedSize&, const UnfittedSize&) = default;
};

// On one number of ranks. Each size that was measured is either fitted or not.
struct Growth {
  int ranks = 1;
  std::vector<std::int64_t> fitted = {};  // numbers of parameters
  std::vector<UnfittedSize> unfitted = {};
  std::optional<std::int64_t> least_parameters =
      {};                              // from which on a size is beyond the cache; when that is known
  std::optional<LineFit> time = {};    // a power: of the time outside compute
  std::optional<bool> linear = {};     // nothing without a power, or when the size of the cache is not known
  std::optional<LineFit> memory = {};  // a line through all sizes: of the bytes of all ranks at their peak
};

// Whether the cache may hold a part of it that counts.
bool in_cache(const Result& result, const std::optional<std::uint64_t>& cache_bytes);

// Takes those of the results that have so many ranks. Without the size of the cache all sizes are fitted, and nothing is
// said about them.
Growth growth_on(int ranks, const std::vector<Result>& results,
                 const std::optional<std::uint64_t>& cache_bytes);

}  // namespace lockstep::bench::scaling
