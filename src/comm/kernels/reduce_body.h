#pragma once

// The reduction kernels as templates. Three files include this, each compiled for another instruction set, and
// each exports one table. Everything has internal linkage and no function of the standard library is called: a
// shared inline function compiled for AVX-512 could otherwise end up in a program on a processor without it.

#include <cstddef>
#include <cstdint>

#include "comm/kernels/half_float.h"
#include "comm/kernels/kernel_table.h"

// The iterations of the next loop are independent, though sources and destinations may be the same memory.
#if defined(__clang__)
#define LOCKSTEP_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#else
#define LOCKSTEP_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace lockstep {
namespace {

// How an element lies in memory (Stored) and what arithmetic is done in (Wide).
template <class T, class WideType = T>
struct Element {
  using Stored = T;
  using Wide = WideType;
  static Wide load(Stored value) { return static_cast<Wide>(value); }
  static Stored store(Wide value) { return static_cast<Stored>(value); }
};

struct F16Element {
  using Stored = std::uint16_t;
  using Wide = float;
  static Wide load(Stored value) { return widen_f16(value); }
  static Stored store(Wide value) { return narrow_f16(value); }
};

struct BF16Element {
  using Stored = std::uint16_t;
  using Wide = float;
  static Wide load(Stored value) { return widen_bf16(value); }
  static Stored store(Wide value) { return narrow_bf16(value); }
};

__extension__ using Int128 = __int128;  // an exact sum of 64-bit integers

struct Sum {
  template <class Wide>
  static Wide combine(Wide a, Wide b) {
    return static_cast<Wide>(a + b);
  }
  template <class Wide>
  static Wide finish(Wide value, int) {
    return value;
  }
};

struct Avg : Sum {
  template <class Wide>
  static Wide finish(Wide value, int ranks) {
    return value / static_cast<Wide>(ranks);
  }
};

struct Product : Sum {
  template <class Wide>
  static Wide combine(Wide a, Wide b) {
    return static_cast<Wide>(a * b);
  }
};

struct Min : Sum {
  template <class Wide>
  static Wide combine(Wide a, Wide b) {
    return b < a ? b : a;
  }
};

struct Max : Sum {
  template <class Wide>
  static Wide combine(Wide a, Wide b) {
    return a < b ? b : a;
  }
};

template <class E>
const typename E::Stored* source(const ReduceJob& job, int index) {
  return reinterpret_cast<const typename E::Stored*>(job.sources[index]);
}

template <class E>
typename E::Stored* destination(const ReduceJob& job, int index) {
  return reinterpret_cast<typename E::Stored*>(job.destinations[index]);
}

// Two sources, one or two destinations: the common case of two ranks, in one pass without scratch memory.
template <class E, class Op>
void reduce_pair(const ReduceJob& job) {
  const auto* a = source<E>(job, 0);
  const auto* b = source<E>(job, 1);
  auto* first = destination<E>(job, 0);
  auto* second = destination<E>(job, job.destination_count - 1);
  LOCKSTEP_INDEPENDENT_ITERATIONS
  for (std::size_t i = 0; i < job.count; ++i) {
    const auto value = E::store(Op::finish(Op::combine(E::load(a[i]), E::load(b[i])), 2));
    first[i] = value;
    second[i] = value;
  }
}

// Any number of sources. A block of elements at a time climbs the tree in scratch memory that stays in the
// first-level cache: level k of the scratch holds a finished subtree, as the bits of a binary counter do.
template <class E, class Op>
class BlockReducer {
 public:
  explicit BlockReducer(const ReduceJob& job) : job_(job) {}

  void run() {
    for (first_ = 0; first_ < job_.count; first_ += kBlock) {
      size_ = job_.count - first_ < kBlock ? job_.count - first_ : kBlock;
      reduce_block();
      store_block();
    }
  }

 private:
  using Wide = typename E::Wide;
  static constexpr std::size_t kBlock = 512;
  static constexpr int kMaxLevels = 10;  // enough for kMaxReduceSources

  void reduce_block() {
    int levels = 0;
    for (int pair = 0; 2 * pair < job_.source_count; ++pair) {
      load_pair(levels_[levels], 2 * pair);
      for (int carry = pair; (carry & 1) != 0; carry >>= 1) {
        merge(levels--);
      }
      ++levels;
    }
    for (--levels; levels > 0; --levels) {
      merge(levels);
    }
  }

  void load_pair(Wide* into, int index) {
    const auto* a = source<E>(job_, index) + first_;
    if (index + 1 == job_.source_count) {
      for (std::size_t i = 0; i < size_; ++i) {
        into[i] = E::load(a[i]);
      }
      return;
    }
    const auto* b = source<E>(job_, index + 1) + first_;
    LOCKSTEP_INDEPENDENT_ITERATIONS
    for (std::size_t i = 0; i < size_; ++i) {
      into[i] = Op::combine(E::load(a[i]), E::load(b[i]));
    }
  }

  // Folds level `upper` into the one below it.
  void merge(int upper) {
    Wide* left = levels_[upper - 1];
    const Wide* right = levels_[upper];
    LOCKSTEP_INDEPENDENT_ITERATIONS
    for (std::size_t i = 0; i < size_; ++i) {
      left[i] = Op::combine(left[i], right[i]);
    }
  }

  void store_block() {
    auto* out = destination<E>(job_, 0) + first_;
    LOCKSTEP_INDEPENDENT_ITERATIONS
    for (std::size_t i = 0; i < size_; ++i) {
      out[i] = E::store(Op::finish(levels_[0][i], job_.source_count));
    }
    for (int other = 1; other < job_.destination_count; ++other) {
      __builtin_memcpy(destination<E>(job_, other) + first_, out, size_ * sizeof *out);
    }
  }

  const ReduceJob& job_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  alignas(64) Wide levels_[kMaxLevels][kBlock];
};

template <class E, class Op>
void reduce(const ReduceJob& job) {
  if (job.source_count == 2 && job.destination_count <= 2) {
    reduce_pair<E, Op>(job);
  } else {
    BlockReducer<E, Op>(job).run();
  }
}

// Integers wrap, so their sums and products are unsigned; averages are exact, so they are wider.
template <class Arithmetic, class Ordered = Arithmetic, class Exact = Arithmetic>
constexpr KernelRow kernel_row() {
  return {reduce<Arithmetic, Sum>, reduce<Exact, Avg>, reduce<Ordered, Min>, reduce<Ordered, Max>,
          reduce<Arithmetic, Product>};
}

constexpr KernelTable make_kernel_table() {
  return {{
      kernel_row<F16Element>(),
      kernel_row<BF16Element>(),
      kernel_row<Element<float>>(),
      kernel_row<Element<double>>(),
      kernel_row<Element<std::uint8_t>, Element<std::uint8_t>, Element<std::uint8_t, std::int32_t>>(),
      kernel_row<Element<std::uint8_t>, Element<std::int8_t>, Element<std::int8_t, std::int32_t>>(),
      kernel_row<Element<std::uint32_t>, Element<std::int32_t>, Element<std::int32_t, std::int64_t>>(),
      kernel_row<Element<std::uint64_t>, Element<std::int64_t>, Element<std::int64_t, Int128>>(),
  }};
}

}  // namespace
}  // namespace lockstep
