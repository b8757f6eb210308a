#include "cli/run/line_prefix.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lockstep::run {
namespace {

constexpr PrefixFields kFields{.role = "trainer", .rank = 13, .local_rank = 5, .host = "node1"};

TEST(LinePrefix, FillsInEveryField) {
  EXPECT_EQ(line_prefix("[${role_name}${rank}]:", kFields), "[trainer13]:");
  EXPECT_EQ(line_prefix("${hostname}/${local_rank} ${rank}${rank}", kFields), "node1/5 1313");
}

TEST(LinePrefix, KeepsWhatItDoesNotKnow) {
  for (const char* pattern : {"", "plain", "${pid} ", "$rank", "${rank", "$", "${", "${}", "}${"}) {
    EXPECT_EQ(line_prefix(pattern, kFields), pattern);
  }
}

TEST(LinePrefix, GoesOnBehindWhatItDoesNotKnow) {
  EXPECT_EQ(line_prefix("${pid}${rank}", kFields), "${pid}13");
}

TEST(ColoredPrefix, EndsItsColor) {
  EXPECT_EQ(colored_prefix("[0]:", 0), "\x1b[36m[0]:\x1b[0m");
}

TEST(ColoredPrefix, DiffersBetweenNeighboursAndIsNeverRed) {
  std::set<std::string> seen;
  for (int rank = 0; rank < 10; ++rank) {
    const std::string text = colored_prefix("", rank);
    EXPECT_TRUE(seen.insert(text).second) << rank;
    EXPECT_EQ(text.find("[31m"), std::string::npos);
    EXPECT_EQ(text.find("[91m"), std::string::npos);
    EXPECT_EQ(text, colored_prefix("", rank + 10));
  }
}

}  // namespace
}  // namespace lockstep::run
