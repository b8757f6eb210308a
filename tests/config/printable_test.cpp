#include "config/printable.h"

#include <gtest/gtest.h>

namespace lockstep::config {
namespace {

TEST(IsUtf8, AcceptsEveryLength) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80"));
  EXPECT_TRUE(is_utf8("\xF4\x8F\xBF\xBF"));
}

TEST(IsUtf8, RefusesWhatNoEncoderWrites) {
  EXPECT_FALSE(is_utf8("\x80"));              // a continuation alone
  EXPECT_FALSE(is_utf8("\xC3"));              // a lead alone
  EXPECT_FALSE(is_utf8("\xC3("));             // a lead without its continuation
  EXPECT_FALSE(is_utf8("\xC0\xAF"));          // overlong
  EXPECT_FALSE(is_utf8("\xE0\x80\xAF"));      // overlong
  EXPECT_FALSE(is_utf8("\xF0\x80\x80\xAF"));  // overlong
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // a surrogate
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // beyond U+10FFFF
  EXPECT_FALSE(is_utf8("\xFF"));
}

TEST(Utf8Prefix, EndsAtTheFirstWrongByte) {
  EXPECT_EQ(utf8_prefix("ab"), 2U);
  EXPECT_EQ(utf8_prefix("\xC3\xA4\xC3"), 2U);
  EXPECT_EQ(utf8_prefix("a\xFFz"), 1U);
}

TEST(Printable, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(printable("run.toml"), "run.toml");
  EXPECT_EQ(printable("\xC3\xA4"), "\xC3\xA4");
  EXPECT_EQ(printable("a\nb\rc\td\x1B[31m\x7F\xFF"), "a\\nb\\rc\\td\\x1b[31m\\x7f\\xff");
  EXPECT_EQ(printable(std::string(500, 'x')), std::string(500, 'x'));
}

TEST(InQuotes, CutsWhatIsLong) {
  EXPECT_EQ(in_quotes("fast"), "'fast'");
  EXPECT_EQ(in_quotes(""), "''");
  EXPECT_EQ(in_quotes(std::string(120, 'x')), "'" + std::string(120, 'x') + "'");
  EXPECT_EQ(in_quotes(std::string(121, 'x')), "'" + std::string(120, 'x') + "...'");
}

}  // namespace
}  // namespace lockstep::config
