#include "comm/kernels/reduce_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "comm/kernels/half_float.h"

namespace lockstep {
namespace {

std::vector<InstructionSet> available_sets() {
  std::vector<InstructionSet> sets = {InstructionSet::kPlain};
  if (best_instruction_set() != InstructionSet::kPlain) {
    sets.push_back(InstructionSet::kAvx2);
  }
  if (best_instruction_set() == InstructionSet::kAvx512) {
    sets.push_back(InstructionSet::kAvx512);
  }
  return sets;
}

template <class T>
std::vector<T> reduce(const std::vector<std::vector<T>>& inputs, DType dtype, ReduceOp op, InstructionSet set,
                      int destinations = 1) {
  std::vector<const std::byte*> sources;
  for (const auto& input : inputs) {
    sources.push_back(reinterpret_cast<const std::byte*>(input.data()));
  }
  std::vector<std::vector<T>> outputs(static_cast<std::size_t>(destinations),
                                      std::vector<T>(inputs[0].size()));
  std::vector<std::byte*> targets;
  for (auto& output : outputs) {
    targets.push_back(reinterpret_cast<std::byte*>(output.data()));
  }
  reduce_kernel(dtype, op, set)({.sources = sources.data(),
                                 .source_count = static_cast<int>(sources.size()),
                                 .destinations = targets.data(),
                                 .destination_count = destinations,
                                 .count = inputs[0].size()});
  for (const auto& output : outputs) {
    EXPECT_TRUE(output.empty() ||
                std::memcmp(output.data(), outputs[0].data(), output.size() * sizeof(T)) == 0)
        << "destinations differ";
  }
  return outputs[0];
}

// The tree as the header describes it.
template <class T, class Combine>
T tree(const std::vector<T>& values, std::size_t first, std::size_t count, Combine combine) {
  if (count == 1) {
    return values[first];
  }
  std::size_t left = 1;
  while (2 * left < count) {
    left *= 2;
  }
  return combine(tree(values, first, left, combine), tree(values, first + left, count - left, combine));
}

std::vector<std::vector<float>> random_floats(int ranks, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, 1000.0F);
  std::vector<std::vector<float>> inputs(static_cast<std::size_t>(ranks), std::vector<float>(count));
  for (auto& input : inputs) {
    for (auto& value : input) {
      value = normal(random);
    }
  }
  return inputs;
}

TEST(ReduceKernel, AddsInTheDocumentedTreeToTheBit) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 13, 64}) {
    for (const std::size_t count : {1UL, 15UL, 512UL, 1237UL}) {
      const auto inputs = random_floats(ranks, count, 7);
      for (const auto set : available_sets()) {
        const auto result = reduce(inputs, DType::kF32, ReduceOp::kSum, set);
        for (std::size_t i = 0; i < count; ++i) {
          std::vector<float> column;
          for (const auto& input : inputs) {
            column.push_back(input[i]);
          }
          const float expected = tree(column, 0, column.size(), [](float a, float b) { return a + b; });
          ASSERT_EQ(result[i], expected) << to_string(set) << ", " << ranks << " ranks, element " << i;
        }
      }
    }
  }
}

TEST(ReduceKernel, WritesTheSameToEveryDestination) {
  for (const int ranks : {2, 3, 4}) {
    for (const auto set : available_sets()) {
      reduce(random_floats(ranks, 777, 3), DType::kF32, ReduceOp::kAvg, set, ranks);
    }
  }
}

TEST(ReduceKernel, WorksInPlace) {
  for (const int ranks : {2, 4}) {
    auto buffers = random_floats(ranks, 1000, 5);
    const auto expected = reduce(buffers, DType::kF32, ReduceOp::kSum, InstructionSet::kPlain);
    std::vector<std::byte*> pointers;
    for (auto& buffer : buffers) {
      pointers.push_back(reinterpret_cast<std::byte*>(buffer.data()));
    }
    const std::vector<const std::byte*> sources(pointers.begin(), pointers.end());
    reduce_kernel(DType::kF32, ReduceOp::kSum)({.sources = sources.data(),
                                                .source_count = ranks,
                                                .destinations = pointers.data(),
                                                .destination_count = ranks,
                                                .count = 1000});
    for (const auto& buffer : buffers) {
      EXPECT_EQ(buffer, expected);
    }
  }
}

template <class T>
void check_integers(DType dtype) {
  const T low = std::numeric_limits<T>::min();
  const T high = std::numeric_limits<T>::max();
  const std::vector<std::vector<T>> inputs = {{high, low, 7, 2}, {high, low, 2, 3}, {1, 0, 100, 5}};
  for (const auto set : available_sets()) {
    const auto sum = reduce(inputs, dtype, ReduceOp::kSum, set);
    EXPECT_EQ(sum[0], static_cast<T>(static_cast<std::uint64_t>(high) * 2 + 1)) << "sums wrap";
    EXPECT_EQ(sum[2], T{109});
    EXPECT_EQ(reduce(inputs, dtype, ReduceOp::kMin, set)[2], T{2});
    EXPECT_EQ(reduce(inputs, dtype, ReduceOp::kMin, set)[1], low);
    EXPECT_EQ(reduce(inputs, dtype, ReduceOp::kMax, set)[0], high);
    EXPECT_EQ(reduce(inputs, dtype, ReduceOp::kProduct, set)[3], T{30});
    const std::vector<std::vector<T>> two = {{high, low, 7}, {high, low, 4}};
    EXPECT_EQ(reduce(two, dtype, ReduceOp::kAvg, set), (std::vector<T>{high, low, 5}))
        << "averages do not overflow";
  }
}

TEST(ReduceKernel, WrapsIntegersAndAveragesThemExactly) {
  check_integers<std::uint8_t>(DType::kU8);
  check_integers<std::int8_t>(DType::kI8);
  check_integers<std::int32_t>(DType::kI32);
  check_integers<std::int64_t>(DType::kI64);
}

TEST(ReduceKernel, AccumulatesHalvesInSinglePrecision) {
  // 1 + 2^-9 - 1 in f16 alone would lose the small part in the first addition of 1024.
  const std::vector<float> values = {1024.0F, 0.25F, -1024.0F, 0.25F};
  for (const auto set : available_sets()) {
    std::vector<std::vector<std::uint16_t>> f16;
    std::vector<std::vector<std::uint16_t>> bf16;
    for (const float value : values) {
      f16.push_back({narrow_f16(value)});
      bf16.push_back({narrow_bf16(value)});
    }
    EXPECT_EQ(widen_f16(reduce(f16, DType::kF16, ReduceOp::kSum, set)[0]), 0.5F);
    EXPECT_EQ(widen_bf16(reduce(bf16, DType::kBF16, ReduceOp::kSum, set)[0]), 0.5F);
  }
}

TEST(ReduceKernel, GivesTheSameBitsOnEveryInstructionSet) {
  std::mt19937 random(11);
  for (const auto dtype : {DType::kF16, DType::kBF16}) {
    std::vector<std::vector<std::uint16_t>> inputs(3, std::vector<std::uint16_t>(4096));
    for (auto& input : inputs) {
      for (auto& value : input) {
        value = static_cast<std::uint16_t>(random() & 0xbfff);  // no infinities, no NaN
      }
    }
    for (int op = 0; op < kReduceOpCount; ++op) {
      const auto expected = reduce(inputs, dtype, static_cast<ReduceOp>(op), InstructionSet::kPlain);
      for (const auto set : available_sets()) {
        EXPECT_EQ(reduce(inputs, dtype, static_cast<ReduceOp>(op), set), expected) << to_string(set);
      }
    }
  }
}

TEST(ReduceKernel, DoesNothingForNoElements) {
  EXPECT_TRUE(reduce<float>({{}, {}}, DType::kF32, ReduceOp::kSum, best_instruction_set()).empty());
}

TEST(HalfFloat, WidensAndNarrowsEveryF16Exactly) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float wide = widen_f16(half);
    if (std::isnan(wide)) {
      EXPECT_GT(bits & 0x7fff, 0x7c00U);
      EXPECT_GT(narrow_f16(wide) & 0x7fff, 0x7c00);
      continue;
    }
    const std::uint32_t exponent = bits >> 10 & 0x1f;
    const std::uint32_t fraction = bits & 0x3ff;
    const double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                             : exponent == 31 ? HUGE_VAL
                                              : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
    ASSERT_EQ(wide, static_cast<float>(bits & 0x8000 ? -magnitude : magnitude)) << bits;
    ASSERT_EQ(narrow_f16(wide), half) << bits;
  }
}

TEST(HalfFloat, RoundsToNearestEven) {
  EXPECT_EQ(narrow_f16(2049.0F), narrow_f16(2048.0F)) << "a tie goes to the even one";
  EXPECT_EQ(narrow_f16(2051.0F), narrow_f16(2052.0F));
  EXPECT_EQ(narrow_f16(65519.0F), 0x7bff) << "the largest";
  EXPECT_EQ(narrow_f16(65520.0F), 0x7c00) << "infinity";
  EXPECT_EQ(narrow_f16(std::ldexp(1.0F, -25)), 0) << "half of the smallest, to even";
  EXPECT_EQ(narrow_f16(std::ldexp(3.0F, -26)), 1);
  EXPECT_EQ(narrow_bf16(float_from_bits(0x3f808000)), 0x3f80) << "a tie goes to the even one";
  EXPECT_EQ(narrow_bf16(float_from_bits(0x3f818000)), 0x3f82);
  EXPECT_EQ(narrow_bf16(std::numeric_limits<float>::quiet_NaN()) & 0x7fff, 0x7fc0);
  EXPECT_EQ(narrow_bf16(std::numeric_limits<float>::infinity()), 0x7f80);
}

}  // namespace
}  // namespace lockstep
