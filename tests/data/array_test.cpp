#include "lockstep/array.h"

#include <gtest/gtest.h>

#include <vector>

#include "data/data_bytes.h"

namespace lockstep {
namespace {

TEST(Array, IsSeenAsItsOwnTypeOnly) {
  const Array array{
      .type = ElementType::kI16, .shape = {1, 2}, .bytes = std::vector<std::byte>(4, std::byte{1})};
  EXPECT_EQ(array.count(), 2);
  EXPECT_EQ(array.values<std::int16_t>()[1], 0x0101);
  expect_error([&] { array.values<std::uint16_t>(); }, ErrorCode::kInvalidArgument,
               "an array of i16 was read as u16");
}

TEST(Array, NamesItsTypes) {
  for (const auto& [type, name, size] :
       {std::tuple(ElementType::kBool, "bool", 1), std::tuple(ElementType::kI8, "i8", 1),
        std::tuple(ElementType::kI16, "i16", 2), std::tuple(ElementType::kI32, "i32", 4),
        std::tuple(ElementType::kI64, "i64", 8), std::tuple(ElementType::kU8, "u8", 1),
        std::tuple(ElementType::kU16, "u16", 2), std::tuple(ElementType::kU32, "u32", 4),
        std::tuple(ElementType::kU64, "u64", 8), std::tuple(ElementType::kF16, "f16", 2),
        std::tuple(ElementType::kF32, "f32", 4), std::tuple(ElementType::kF64, "f64", 8)}) {
    EXPECT_EQ(to_string(type), name);
    EXPECT_EQ(size_of(type), size) << name;
  }
  EXPECT_EQ(shape_text({.type = ElementType::kU8, .shape = {2, 3}}), "u8 [2, 3]");
}

TEST(BytesOf, KnowsWhenASizeIsBeyondAllNumbers) {
  using Shape = std::vector<std::uint64_t>;
  const std::uint64_t huge = std::uint64_t{1} << 40;
  EXPECT_EQ(bytes_of(Shape{}, ElementType::kF64), 8);
  EXPECT_EQ(bytes_of(Shape{2, 3}, ElementType::kF32), 24);
  EXPECT_EQ(bytes_of(Shape{huge, huge, 0}, ElementType::kF32), 0);
  EXPECT_EQ(bytes_of(Shape{huge, 1 << 23}, ElementType::kU8), std::uint64_t{1} << 63);
  EXPECT_EQ(bytes_of(Shape{huge, 1 << 24}, ElementType::kU8), std::nullopt);
  EXPECT_EQ(bytes_of(Shape{huge, 1 << 23}, ElementType::kU16), std::nullopt);
}

}  // namespace
}  // namespace lockstep
