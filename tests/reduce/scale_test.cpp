#include "reduce/scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "lockstep/error.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

TEST(Scale, MultipliesFloats) {
  std::vector<float> values = {1.0F, -2.5F, 0.0F, 4.0F};
  scale(values, 0.5);
  EXPECT_THAT(values, ElementsAre(0.5F, -1.25F, 0.0F, 2.0F));
}

TEST(Scale, MultipliesDoublesByTheWholeFactor) {
  std::vector<double> values = {3.0, 1.0};
  scale(values, 1.0 / 3);
  EXPECT_THAT(values, ElementsAre(3.0 * (1.0 / 3), 1.0 / 3));
}

TEST(Scale, RoundsF16ToTheNearest) {
  // 1.5, -2, the largest number, infinity, and the smallest number.
  std::vector<F16> values = {{0x3e00}, {0xc000}, {0x7bff}, {0x7c00}, {0x0001}};
  scale(values, 2);
  const std::uint16_t doubled[] = {0x4200, 0xc400, 0x7c00, 0x7c00, 0x0002};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].bits, doubled[i]) << i;
  }
  std::vector<F16> third = {{0x3c00}};  // 1
  scale(third, 1.0 / 3);
  EXPECT_EQ(third[0].bits, 0x3555);
}

TEST(Scale, RoundsBf16ToTheNearest) {
  std::vector<BF16> values = {{0x3fc0}, {0xc000}, {0x7f80}};  // 1.5, -2, infinity
  scale(values, 2);
  const std::uint16_t doubled[] = {0x4040, 0xc080, 0x7f80};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].bits, doubled[i]) << i;
  }
  std::vector<BF16> third = {{0x3f80}};  // 1
  scale(third, 1.0 / 3);
  EXPECT_EQ(third[0].bits, 0x3eab);
}

TEST(Scale, ReachesEveryElementOfALongBuffer) {
  std::vector<float> values(1037);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i);
  }
  scale(values, 3);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], static_cast<float>(3 * i));
  }
}

TEST(Scale, TakesAnEmptyBuffer) {
  EXPECT_NO_THROW(scale(Buffer(nullptr, 0, DType::kF32), 2));
}

TEST(Scale, RefusesIntegers) {
  for (const DType dtype : {DType::kU8, DType::kI8, DType::kI32, DType::kI64}) {
    std::int64_t memory = 7;
    try {
      scale(Buffer(&memory, 1, dtype), 2);
      ADD_FAILURE() << "scaled " << to_string(dtype);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_EQ(error.message(),
                "cannot scale " + std::string(to_string(dtype)) + ": not a floating-point type");
    }
    EXPECT_EQ(memory, 7);
  }
}

}  // namespace
}  // namespace lockstep
