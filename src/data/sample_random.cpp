#include "lockstep/sample_random.h"

#include <fmt/format.h>

#include <bit>

#include "data/mix.h"
#include "data/philox.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// "random": keeps the keys of the streams distinct from those of the order.
constexpr std::uint64_t kStreamKey = 0x72616E646F6D;

constexpr double kUnit = 0x1p-53;

std::uint32_t low_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

std::uint32_t high_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

// The normal distribution by comparing random fractions only (Karney, "Sampling exactly from the normal distribution",
// 2016), with von Neumann's method for a probability of exp(-p): in a chain of fractions p > u1 > u2 > ..., the number
// drawn before the chain breaks is even with that probability. A fraction is 64 bits, its value times 2^64.

// True with probability exp(-1/2).
bool falls_by_half(SampleRandom& random) {
  std::uint64_t bound = std::uint64_t{1} << 63;
  for (bool even = true;; even = !even) {
    const std::uint64_t next = random.bits();
    if (next >= bound) {
      return even;
    }
    bound = next;
  }
}

// True with probability exp(-1/2) to the power of `times`.
bool falls_by_halves(SampleRandom& random, std::uint64_t times) {
  for (; times > 0; --times) {
    if (!falls_by_half(random)) {
      return false;
    }
  }
  return true;
}

// True with probability (2k + x) / (2k + 2).
bool lies_below(SampleRandom& random, std::uint64_t k, std::uint64_t x) {
  const std::uint64_t part = random.below(2 * k + 2);
  return part < 2 * k || (part == 2 * k && random.bits() < x);
}

// True with probability exp(-x (2k + x) / (2k + 2)).
bool is_kept(SampleRandom& random, std::uint64_t k, std::uint64_t x) {
  std::uint64_t bound = x;
  for (bool even = true;; even = !even) {
    const std::uint64_t next = random.bits();
    if (next >= bound || !lies_below(random, k, x)) {
      return even;
    }
    bound = next;
  }
}

// All k + 1 of them: true with probability exp(-x (2k + x) / 2).
bool is_kept_every_time(SampleRandom& random, std::uint64_t k, std::uint64_t x) {
  for (std::uint64_t time = 0; time <= k; ++time) {
    if (!is_kept(random, k, x)) {
      return false;
    }
  }
  return true;
}

}  // namespace

SampleRandom::SampleRandom(const SampleKey& key)
    : key_(fold(fold(kStreamKey, key.seed), key.epoch)), index_(key.index) {}

std::uint64_t SampleRandom::bits() {
  if (unused_ == 0) {
    const PhiloxBlock block =
        philox({low_word(block_), high_word(block_), low_word(index_), high_word(index_)}, key_);
    words_ = {std::uint64_t{block[1]} << 32 | block[0], std::uint64_t{block[3]} << 32 | block[2]};
    unused_ = 2;
    ++block_;
  }
  return words_[static_cast<std::size_t>(2 - unused_--)];
}

// Draws the highest bits, as many as bound - 1 has, until they give a number below `bound`: fewer than two draws on
// average, and no number is favoured.
std::uint64_t SampleRandom::below(std::uint64_t bound) {
  if (bound == 0) {
    throw Error(ErrorCode::kInvalidArgument, "there is no number below 0");
  }
  const int width = static_cast<int>(std::bit_width(bound - 1));
  if (width == 0) {
    return 0;
  }
  for (;;) {
    const std::uint64_t number = bits() >> (64 - width);
    if (number < bound) {
      return number;
    }
  }
}

std::int64_t SampleRandom::between(std::int64_t low, std::int64_t high) {
  if (high < low) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("there is no number from {} to {}", low, high));
  }
  const std::uint64_t steps = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t step = steps == ~std::uint64_t{0} ? bits() : below(steps + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + step);
}

double SampleRandom::uniform() {
  return static_cast<double>(bits() >> 11) * kUnit;
}

double SampleRandom::normal() {
  for (;;) {
    std::uint64_t k = 0;
    while (falls_by_half(*this)) {
      ++k;
    }
    if (!falls_by_halves(*this, k * (k - 1))) {
      continue;
    }
    const std::uint64_t x = bits();
    if (is_kept_every_time(*this, k, x)) {
      const double size = static_cast<double>(k) + static_cast<double>(x >> 11) * kUnit;
      return bits() >> 63 == 1 ? -size : size;
    }
  }
}

}  // namespace lockstep
