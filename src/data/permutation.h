#pragma once

// The order of an epoch: a permutation of [0, size) that is computed, not stored. Position p of the order is one
// evaluation of a keyed bijection, so a data set of any size takes the same few bytes, and resuming in mid-epoch costs
// nothing.
//
// The bijection is a Feistel network of two equal halves over the smallest power of four that holds `size`, with cycle
// walking: a result beyond the end is fed back until one lies within, which keeps it a bijection and takes fewer than
// four iterations on average. Integers only; docs/data.md specifies every bit of it.

#include <array>
#include <cstdint>

namespace lockstep {

class Permutation {
 public:
  Permutation(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch);

  std::uint64_t size() const { return size_; }
  // The index at `position`, both below size().
  std::uint64_t at(std::uint64_t position) const;

 private:
  // From this number on, all orders of a few samples are equally likely: in a chi-square test with 7 samples, 4 rounds
  // are 80 standard deviations off, 6 rounds 4, and 10 none.
  static constexpr int kRounds = 10;

  std::uint64_t encrypt(std::uint64_t value) const;

  std::uint64_t size_;
  int half_bits_;
  std::array<std::uint64_t, kRounds> round_keys_{};
};

}  // namespace lockstep
