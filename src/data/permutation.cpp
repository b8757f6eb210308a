#include "data/permutation.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "data/mix.h"

namespace lockstep {
namespace {

// "order": keeps the keys of the order distinct from those of the random streams.
constexpr std::uint64_t kOrderKey = 0x6F72646572;

// The bits of each half of the smallest 2^(2h) >= size.
int half_bits_for(std::uint64_t size) {
  const int bits = size < 2 ? 0 : static_cast<int>(std::bit_width(size - 1));
  return std::max(1, (bits + 1) / 2);
}

}  // namespace

Permutation::Permutation(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch)
    : size_(size), half_bits_(half_bits_for(size)) {
  std::uint64_t key = fold(fold(kOrderKey, seed), epoch);
  for (std::uint64_t& round_key : round_keys_) {
    key += kGoldenGamma;
    round_key = mix(key);
  }
}

// A round swaps the halves and adds a hash of one to the other, which can be undone whatever the hash is. The
// textbook's exclusive or instead of the addition would only reach even permutations: with five samples, some orders
// would occur 1.3 times as often as others.
std::uint64_t Permutation::encrypt(std::uint64_t value) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_;
  std::uint64_t right = value & mask;
  for (const std::uint64_t round_key : round_keys_) {
    const std::uint64_t hash = mix(right ^ round_key) >> (64 - half_bits_);
    left = std::exchange(right, (left + hash) & mask);
  }
  return left << half_bits_ | right;
}

std::uint64_t Permutation::at(std::uint64_t position) const {
  LOCKSTEP_CHECK(position < size_);
  std::uint64_t index = position;
  do {
    index = encrypt(index);
  } while (index >= size_);
  return index;
}

}  // namespace lockstep
