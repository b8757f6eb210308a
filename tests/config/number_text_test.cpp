#include "config/number_text.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace lockstep::config {
namespace {

constexpr std::array<Unit, 4> kUnits = {
    {{"h", 3'600'000'000'000}, {"s", 1'000'000'000}, {"KiB", 1024}, {"ns", 1}}};

TEST(ReadInteger, TakesSignsBasesAndUnderscores) {
  auto magnitude = [](std::string_view text) { return read_integer(text).value().magnitude; };
  EXPECT_EQ(magnitude("0"), 0U);
  EXPECT_EQ(magnitude("+42"), 42U);
  EXPECT_EQ(magnitude("1_000_000"), 1'000'000U);
  EXPECT_EQ(magnitude("0xff_ff"), 0xFFFFU);
  EXPECT_EQ(magnitude("0o17"), 15U);
  EXPECT_EQ(magnitude("0b101"), 5U);
  EXPECT_EQ(magnitude("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(read_integer("-42")->negative);
  EXPECT_FALSE(read_integer("42")->negative);
}

TEST(ReadInteger, TellsOverflowFromRubbish) {
  EXPECT_TRUE(read_integer("18446744073709551616")->overflow);
  EXPECT_FALSE(read_integer("18446744073709551615")->overflow);
  for (const char* text : {"", "-", "+-3", "--3", "1.5", "1e3", "12x", " 1", "1 ", "_1", "1_", "1__0", "0x",
                           "0b2", "a", "0x-1"}) {
    EXPECT_FALSE(read_integer(text)) << text;
  }
}

TEST(ReadFloat, ReadsWhatPeopleWrite) {
  EXPECT_EQ(std::get<double>(read_float<double>("1e-3")), 1e-3);
  EXPECT_EQ(std::get<double>(read_float<double>("-.5")), -0.5);
  EXPECT_EQ(std::get<double>(read_float<double>("+2")), 2.0);
  EXPECT_EQ(std::get<double>(read_float<double>("1_000.5")), 1000.5);
  EXPECT_EQ(std::get<float>(read_float<float>("0.1")), 0.1F);
  EXPECT_EQ(std::get<double>(read_float<double>("-inf")), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(std::get<double>(read_float<double>("nan"))));
}

TEST(ReadFloat, TellsOverflowFromRubbish) {
  EXPECT_EQ(std::get<FloatMistake>(read_float<double>("1e999")), FloatMistake::kOutOfRange);
  EXPECT_EQ(std::get<FloatMistake>(read_float<float>("1e39")), FloatMistake::kOutOfRange);
  for (const char* text : {"", "fast", "1.5x", "1..2", "--1", "+-1", "-+1", "1 ", " 1", "1e", "0x10", "_1"}) {
    const auto result = read_float<double>(text);
    ASSERT_TRUE(std::holds_alternative<FloatMistake>(result)) << text;
    EXPECT_EQ(std::get<FloatMistake>(result), FloatMistake::kMalformed) << text;
  }
}

TEST(ReadScaled, IsExact) {
  auto amount = [](std::string_view text) { return std::get<ScaledText>(read_scaled(text, kUnits)).amount; };
  EXPECT_EQ(amount("5s"), 5'000'000'000U);
  EXPECT_EQ(amount("5 s"), 5'000'000'000U);
  EXPECT_EQ(amount("0.000000001s"), 1U);
  EXPECT_EQ(amount("0.1s"), 100'000'000U);
  EXPECT_EQ(amount("1.50000000000000s"), 1'500'000'000U);
  EXPECT_EQ(amount(".5KiB"), 512U);
  EXPECT_EQ(amount("1_000ns"), 1000U);
  EXPECT_EQ(amount("2562047.5h"), 9'223'371'000'000'000'000U);
  EXPECT_EQ(amount("18446744073709551615ns"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(std::get<ScaledText>(read_scaled("-5s", kUnits)).negative);
}

TEST(ReadScaled, NamesTheMistake) {
  auto mistake = [](std::string_view text) { return std::get<ScaledMistake>(read_scaled(text, kUnits)); };
  EXPECT_EQ(mistake("5"), ScaledMistake::kUnitMissing);
  EXPECT_EQ(mistake(""), ScaledMistake::kMalformed);
  EXPECT_EQ(mistake("s"), ScaledMistake::kMalformed);
  EXPECT_EQ(mistake("5 parsecs"), ScaledMistake::kMalformed);
  EXPECT_EQ(mistake("5s "), ScaledMistake::kMalformed);
  EXPECT_EQ(mistake("1.s"), ScaledMistake::kMalformed);
  EXPECT_EQ(mistake("1_s"), ScaledMistake::kMalformed);
  EXPECT_EQ(mistake("--5s"), ScaledMistake::kMalformed);
  EXPECT_EQ(mistake("0.5ns"), ScaledMistake::kNotWhole);
  EXPECT_EQ(mistake("0.3KiB"), ScaledMistake::kNotWhole);
  EXPECT_EQ(mistake("0.0000000001h"), ScaledMistake::kNotWhole);
  EXPECT_EQ(mistake("18446744073709551616ns"), ScaledMistake::kTooLarge);
  EXPECT_EQ(mistake("99999999999999999999h"), ScaledMistake::kTooLarge);
  EXPECT_EQ(mistake("5124096h"), ScaledMistake::kTooLarge);
}

}  // namespace
}  // namespace lockstep::config
