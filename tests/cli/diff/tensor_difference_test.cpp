#include "cli/diff/tensor_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <span>

namespace lockstep::diff {
namespace {

using checkpoint::TensorType;
using checkpoint::TensorView;

template <class T>
std::optional<TensorDifference> compare(TensorType type, const std::vector<T>& a, const std::vector<T>& b) {
  const auto view = [type](const std::vector<T>& values) {
    return TensorView{
        .name = "t", .type = type, .shape = {values.size()}, .bytes = std::as_bytes(std::span(values))};
  };
  return compare_tensors(view(a), view(b));
}

TEST(TensorDifference, FindsTheFirstAndTheLargestDifferences) {
  const auto found = compare<float>(TensorType::kF32, {1, 2, 1000, 4}, {1, 2.5, 1001, 4});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->elements, 4);
  EXPECT_EQ(found->differing, 2);
  EXPECT_EQ(found->nan_on_one_side, 0);
  EXPECT_EQ(found->first.index, 1);
  EXPECT_EQ(found->first.a, "2");
  EXPECT_EQ(found->first.b, "2.5");
  EXPECT_EQ(found->absolute->difference, 1);
  EXPECT_EQ(found->absolute->at.index, 2);
  EXPECT_EQ(found->relative->difference, 0.2);
  EXPECT_EQ(found->relative->at.index, 1);
  EXPECT_EQ(found->ulps, 0x200000);  // 2.5 is a quarter of the way from 2 to 4
}

TEST(TensorDifference, IsNothingForEqualBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(compare<float>(TensorType::kF32, {nan, 1}, {nan, 1}));
  EXPECT_FALSE(compare<float>(TensorType::kF32, {}, {}));
}

TEST(TensorDifference, CountsNeighboursAsOneUlp) {
  const auto up = [](auto value) {
    return std::nextafter(value, std::numeric_limits<decltype(value)>::max());
  };
  EXPECT_EQ(compare<float>(TensorType::kF32, {1}, {up(1.0F)})->ulps, 1);
  EXPECT_EQ(compare<double>(TensorType::kF64, {0}, {up(0.0)})->ulps, 1);
  // Across zero, which is there twice.
  EXPECT_EQ(compare<double>(TensorType::kF64, {-up(0.0)}, {up(0.0)})->ulps, 2);
  EXPECT_EQ(compare<float>(TensorType::kF32, {-0.0F}, {0.0F})->ulps, 0);
  EXPECT_EQ(compare<float>(TensorType::kF32, {-0.0F}, {0.0F})->first.a, "-0");
  EXPECT_EQ(compare<float>(TensorType::kF32, {-0.0F}, {0.0F})->relative->difference, 0);
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(compare<double>(TensorType::kF64, {-most}, {most})->ulps, 2 * 0x7fefffffffffffffULL);
}

TEST(TensorDifference, ReadsHalfFloats) {
  const auto f16 =
      compare<std::uint16_t>(TensorType::kF16, {0x3c00, 0x0001, 0x7bff}, {0x3c01, 0x8001, 0xfc00});
  EXPECT_EQ(f16->first.a, "1");
  EXPECT_EQ(f16->first.b, "1.0009766");
  EXPECT_EQ(f16->absolute->at.a, "65504");
  EXPECT_EQ(f16->absolute->at.b, "-inf");
  EXPECT_EQ(f16->absolute->difference, std::numeric_limits<double>::infinity());
  EXPECT_EQ(f16->relative->difference, std::numeric_limits<double>::infinity());
  EXPECT_EQ(f16->ulps, 0x7bff + 0x7c00);
  const auto tiny = compare<std::uint16_t>(TensorType::kF16, {0x0001}, {0x8001});
  EXPECT_EQ(tiny->absolute->difference, std::ldexp(1.0, -23));
  EXPECT_EQ(tiny->ulps, 2);
  const auto bf16 = compare<std::uint16_t>(TensorType::kBF16, {0x3f80}, {0xc000});
  EXPECT_EQ(bf16->first.a, "1");
  EXPECT_EQ(bf16->first.b, "-2");
  EXPECT_EQ(bf16->absolute->difference, 3);
}

TEST(TensorDifference, GivesNoSizeWhereOneSideIsNan) {
  const auto half = compare<std::uint16_t>(TensorType::kF16, {0x7e00, 0x7c01}, {0x3c00, 0x7c02});
  EXPECT_EQ(half->differing, 2);
  EXPECT_EQ(half->nan_on_one_side, 2);
  EXPECT_EQ(half->first.a, "nan");
  EXPECT_FALSE(half->absolute);
  EXPECT_FALSE(half->relative);
  EXPECT_FALSE(half->ulps);
}

TEST(TensorDifference, IsExactForLongIntegers) {
  const auto found = compare<std::int64_t>(TensorType::kI64, {std::numeric_limits<std::int64_t>::max(), 5},
                                           {std::numeric_limits<std::int64_t>::max() - 1, 5});
  EXPECT_EQ(found->first.a, "9223372036854775807");
  EXPECT_EQ(found->absolute->difference, 1);
  EXPECT_FALSE(found->ulps);
}

TEST(TensorDifference, ReadsEveryOtherType) {
  EXPECT_EQ(compare<std::int32_t>(TensorType::kI32, {-7}, {7})->absolute->difference, 14);
  EXPECT_EQ(compare<std::int16_t>(TensorType::kI16, {-7}, {7})->first.a, "-7");
  EXPECT_EQ(compare<std::int8_t>(TensorType::kI8, {-7}, {7})->first.a, "-7");
  EXPECT_EQ(compare<std::uint8_t>(TensorType::kU8, {200}, {7})->first.a, "200");
  EXPECT_EQ(compare<std::uint8_t>(TensorType::kBool, {1}, {0})->first.a, "1");
}

TEST(TensorDifference, KnowsWhereAnElementIs) {
  EXPECT_EQ(index_text(0, {}), "[]");
  EXPECT_EQ(index_text(5, {6}), "[5]");
  EXPECT_EQ(index_text(23, {2, 3, 4}), "[1, 2, 3]");
}

}  // namespace
}  // namespace lockstep::diff
