#include "base/duration_text.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using namespace std::chrono_literals;

TEST(DurationText, PicksTheUnitAPersonWouldPick) {
  EXPECT_EQ(duration_text(0ns), "0 ns");
  EXPECT_EQ(duration_text(850ns), "850 ns");
  EXPECT_EQ(duration_text(1500ns), "1.5 us");
  EXPECT_EQ(duration_text(12345us), "12.3 ms");
  EXPECT_EQ(duration_text(1200ms), "1.20 s");
  EXPECT_EQ(duration_text(125s), "2 min 05 s");
  EXPECT_EQ(duration_text(2h + 5min), "2 h 05 min");
}

TEST(DurationText, CopesWithNegativeDurations) {
  EXPECT_EQ(duration_text(-1200ms), "-1.20 s");
  EXPECT_EQ(duration_text(std::chrono::nanoseconds::min()), "-2562047 h 47 min");
}

}  // namespace
}  // namespace lockstep
