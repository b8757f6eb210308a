#include "cli/run/stream_choice.h"

#include <gtest/gtest.h>

namespace lockstep::run {
namespace {

constexpr Streams kNone{};
constexpr Streams kOut{.out = true, .err = false};
constexpr Streams kErr{.out = false, .err = true};
constexpr Streams kBoth{.out = true, .err = true};

TEST(StreamChoice, IsForEveryRankWithOneNumber) {
  EXPECT_EQ(StreamChoice::parse("0")->of(5), kNone);
  EXPECT_EQ(StreamChoice::parse("1")->of(5), kOut);
  EXPECT_EQ(StreamChoice::parse("2")->of(5), kErr);
  EXPECT_EQ(StreamChoice::parse("3")->of(5), kBoth);
}

TEST(StreamChoice, IsByLocalRankWithPairs) {
  const auto choice = StreamChoice::parse("0:3,2:1,10:2");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->of(0), kBoth);
  EXPECT_EQ(choice->of(1), kNone);
  EXPECT_EQ(choice->of(2), kOut);
  EXPECT_EQ(choice->of(10), kErr);
}

TEST(StreamChoice, TakesTheLastOfTwoForOneRank) {
  EXPECT_EQ(StreamChoice::parse("1:1,1:2")->of(1), kErr);
}

TEST(StreamChoice, CanBeAll) {
  EXPECT_EQ(StreamChoice::all().of(0), kBoth);
  EXPECT_EQ(StreamChoice::all().of(77), kBoth);
}

TEST(StreamChoice, RefusesWhatItDoesNotUnderstand) {
  for (const char* text : {"", "4", "-1", "x", "1,", ",1:1", "0:4", "0:", ":1", "0:1,", "0:1,1", "-1:1",
                           "0:1:1", " 1", "1 ", "0x1", "99999999999"}) {
    EXPECT_FALSE(StreamChoice::parse(text)) << text;
  }
}

}  // namespace
}  // namespace lockstep::run
