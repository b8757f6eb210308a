#include "config/toml_complaint.h"

#include <gtest/gtest.h>

namespace lockstep::config {
namespace {

TEST(TomlComplaint, IsTheFirstLineWithoutItsPrefixes) {
  EXPECT_EQ(
      toml_complaint("[error] toml::parse_array: missing separator\n --> run.toml\n | ^--- should be `,`\n"),
      "missing separator");
  EXPECT_EQ(toml_complaint("[error] bad integer: leading zero\n --> run.toml\n"),
            "bad integer: leading zero");
}

TEST(TomlComplaint, IsWhatTheArrowSaysWhenTheFirstLineSaysNothing) {
  EXPECT_EQ(toml_complaint("[error] toml::parse_boolean: \n --> run.toml\n | ^--- not a boolean\n | more\n"),
            "not a boolean");
}

TEST(TomlComplaint, TakesAnyText) {
  EXPECT_EQ(toml_complaint(""), "");
  EXPECT_EQ(toml_complaint("something\x1B else"), "something\\x1b else");
}

}  // namespace
}  // namespace lockstep::config
