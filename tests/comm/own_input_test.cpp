#include "comm/own_input.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace lockstep {
namespace {

// A part of ten numbers, of which those from 2 to 4 and from 4 to 7 lie elsewhere, and an empty piece.
class OwnInputTest : public ::testing::Test {
 protected:
  OwnInputTest() {
    std::iota(elsewhere_.begin(), elsewhere_.end(), 100.0F);
    request_.out = part_;
    request_.own_pieces = pieces_;
  }

  static constexpr std::size_t kFloat = sizeof(float);

  std::vector<float> part_ = std::vector<float>(10);
  std::vector<float> elsewhere_ = std::vector<float>(5);
  std::vector<InputPiece> pieces_ = {{.first = 2, .values = std::span(elsewhere_).first(2)},
                                     {.first = 4, .values = std::span(elsewhere_).subspan(2, 3)},
                                     {.first = 8, .values = {nullptr, 0, DType::kF32}}};
  Request request_{.operation = {}, .in = {}, .out = {}, .deadline = Deadline::after({})};
};

TEST_F(OwnInputTest, GoesOnWhereItLies) {
  const OwnInput own(request_);
  ASSERT_TRUE(own.in_pieces());
  const auto expect_at = [&](std::size_t element, const float* data, std::size_t count) {
    const OwnInput::Run run = own.at(element * kFloat, (part_.size() - element) * kFloat);
    EXPECT_EQ(run.data, reinterpret_cast<const std::byte*>(data)) << element;
    EXPECT_EQ(run.bytes, count * kFloat) << element;
  };
  expect_at(0, part_.data(), 2);
  expect_at(1, part_.data() + 1, 1);
  expect_at(2, elsewhere_.data(), 2);
  expect_at(3, elsewhere_.data() + 1, 1);
  expect_at(4, elsewhere_.data() + 2, 3);
  expect_at(7, part_.data() + 7, 1);
  expect_at(8, part_.data() + 8, 2);
}

TEST_F(OwnInputTest, GoesNoFurtherThanAsked) {
  const OwnInput own(request_);
  EXPECT_EQ(own.at(0, kFloat).bytes, kFloat);
  EXPECT_EQ(own.at(4 * kFloat, 2 * kFloat).bytes, 2 * kFloat);
}

TEST_F(OwnInputTest, IsInOnePlaceOnceCollected) {
  OwnInput own(request_);
  own.collect();
  EXPECT_FALSE(own.in_pieces());
  EXPECT_EQ(part_, (std::vector<float>{0, 0, 100, 101, 102, 103, 104, 0, 0, 0}));
  own.collect();
  EXPECT_EQ(part_[2], 100);
}

}  // namespace
}  // namespace lockstep
