#pragma once

// The numbers that summarise a set of times.

#include <cstddef>
#include <vector>

namespace lockstep::bench {

// The smallest value that at least `share` (0 to 1) of all values do not exceed. Throws Error{kInvalidArgument} if
// there are none.
double quantile(std::vector<double> values, double share);

inline constexpr double kNinetyFive = 0.95;  // the share of a p95

// For an even number of values, the mean of the middle two.
double median(std::vector<double> values);

// The n-th root of the product of n positive values: how ratios are averaged.
double geometric_mean(const std::vector<double>& values);

// Bus bandwidth as nccl-tests defines it for all-reduce: the bytes each rank has to send, 2 (p - 1) / p of the buffer,
// divided by the time. In GB/s, which are 10^9 bytes.
double bus_bandwidth_gbs(std::size_t bytes, int ranks, double time_us);

}  // namespace lockstep::bench
