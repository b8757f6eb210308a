#include "config/toml_nesting.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::config {
namespace {

TEST(TomlNesting, CountsBracketsAcrossLines) {
  EXPECT_EQ(line_nested_beyond("a = [[1]]\nb = [[\n[\n1]]]\n", 2), 3U);
  EXPECT_EQ(line_nested_beyond("a = [[1]]\nb = [[\n[\n1]]]\n", 3), std::nullopt);
  EXPECT_EQ(line_nested_beyond("a = {b = {c = {}}}", 2), 1U);
}

TEST(TomlNesting, CountsThePartsOfAKey) {
  EXPECT_EQ(line_nested_beyond("\na.b.c.d = 1\n", 2), 2U);
  EXPECT_EQ(line_nested_beyond("\n[a.b.c.d]\n", 2), 2U);
  EXPECT_EQ(line_nested_beyond("a.b = 1.5\nx = [1.5, 2.5, 3.5, 4.5]\n", 1), std::nullopt);
}

TEST(TomlNesting, LooksThroughStringsAndComments) {
  const std::string text =
      "a = \"[[[[ \\\" [[[[ ....\"\n"
      "b = '[[[[ ....\\'\n"
      "c = \"\"\"[[[[\n[[[[ \" [[[[ \\\"\"\"\" \n"
      "d = '''[[[[\n....'''\n"
      "# [[[[ ....\n"
      "e = [[\n";
  EXPECT_EQ(line_nested_beyond(text, 2), std::nullopt);
  EXPECT_EQ(line_nested_beyond(text, 1), 8U);
}

TEST(TomlNesting, SurvivesWhatIsNoToml) {
  EXPECT_EQ(line_nested_beyond("]]]}}}[", 1), std::nullopt);
  EXPECT_EQ(line_nested_beyond("\"\\", 1), std::nullopt);
  EXPECT_EQ(line_nested_beyond("'''", 1), std::nullopt);
  EXPECT_EQ(line_nested_beyond("\"open\n[[", 1), 2U);
  EXPECT_EQ(line_nested_beyond("", 0), std::nullopt);
}

}  // namespace
}  // namespace lockstep::config
