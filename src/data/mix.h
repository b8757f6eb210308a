#pragma once

// The integer hash that keys the order of samples and their random streams. Uses only 64-bit arithmetic, so it gives
// the same numbers on every machine; docs/data.md specifies it, since checkpoints outlive versions.

#include <cstdint>

namespace lockstep {

// 2^64 divided by the golden ratio: odd, and with no pattern that an input could share.
inline constexpr std::uint64_t kGoldenGamma = 0x9E3779B97F4A7C15;

// A bijection in which every input bit flips about half of the output bits (the finalizer of SplitMix64).
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

// Folds one more word into a key. Different words give different keys.
constexpr std::uint64_t fold(std::uint64_t key, std::uint64_t word) {
  return mix((key ^ word) + kGoldenGamma);
}

}  // namespace lockstep
