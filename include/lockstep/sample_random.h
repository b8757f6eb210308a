#pragma once

// Random numbers for one sample: where to crop it, whether to flip it, how much noise to add.
//
//   SampleRandom random({.seed = 1, .epoch = batch.begin.epoch, .index = index});
//   const auto left = random.below(width - crop + 1);
//   const bool flip = random.below(2) == 1;
//
// The stream is a function of (seed, epoch, index): it does not depend on the rank, the thread, or the order in which
// samples are prepared. The generator is Philox4x32-10 with (seed, epoch) as its key and the index as part of its
// counter, so streams of one epoch cannot overlap. Everything is integer arithmetic except the final conversion to
// double, which is exact: the same bits on every machine and with every C++ library. docs/data.md has the algorithms.
//
// A 48-byte value, cheap to construct. Used by one thread at a time.

#include <array>
#include <cstdint>

namespace lockstep {

struct SampleKey {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t index = 0;  // of the sample in the data set
};

class SampleRandom {
 public:
  explicit SampleRandom(const SampleKey& key);

  // 64 random bits.
  std::uint64_t bits();
  // Uniform in [0, bound). Throws Error{kInvalidArgument} when bound is 0.
  std::uint64_t below(std::uint64_t bound);
  // Uniform in [low, high]. Throws Error{kInvalidArgument} when high is below low.
  std::int64_t between(std::int64_t low, std::int64_t high);
  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform();
  // Normally distributed with mean 0 and standard deviation 1. Exact up to the 2^-53 of its fraction, and slow: about
  // 0.2 us. Draw noise for whole images with the library that holds them.
  double normal();

 private:
  std::uint64_t key_;
  std::uint64_t index_;
  std::uint64_t block_ = 0;               // the next block to compute
  std::array<std::uint64_t, 2> words_{};  // of the last block
  int unused_ = 0;                        // how many words are unused
};

}  // namespace lockstep
