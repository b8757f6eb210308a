#include "cli/bench/time_text.h"

#include <gtest/gtest.h>

namespace lockstep::bench {
namespace {

TEST(TimeText, HasAtLeastThreeDigits) {
  EXPECT_EQ(time_text(0.1234), "0.123");
  EXPECT_EQ(time_text(4.561), "4.56");
  EXPECT_EQ(time_text(78.94), "78.9");
  EXPECT_EQ(time_text(1234.4), "1234");
  EXPECT_EQ(time_text(-4.561), "-4.56");
}

}  // namespace
}  // namespace lockstep::bench
