#include "base/deadline.h"

#include <gtest/gtest.h>

#include <limits>

namespace lockstep {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST(Deadline, CountsDownOnItsClock) {
  ManualClock clock;
  const Deadline deadline = Deadline::after(10s, clock);
  EXPECT_EQ(deadline.remaining(), 10s);
  EXPECT_EQ(deadline.elapsed(), 0s);
  clock.advance(4s);
  EXPECT_EQ(deadline.remaining(), 6s);
  EXPECT_EQ(deadline.elapsed(), 4s);
  EXPECT_FALSE(deadline.expired());
  clock.advance(6s);
  EXPECT_TRUE(deadline.expired());
}

TEST(Deadline, NeverHasNegativeTimeRemaining) {
  ManualClock clock;
  const Deadline deadline = Deadline::after(1s, clock);
  clock.advance(1h);
  EXPECT_EQ(deadline.remaining(), 0s);
  EXPECT_EQ(deadline.elapsed(), 1h);
}

TEST(Deadline, HasPassedAtOnceWithANegativeBudget) {
  ManualClock clock;
  EXPECT_TRUE(Deadline::after(-1s, clock).expired());
  EXPECT_TRUE(Deadline::after(nanoseconds::min(), clock).expired());
}

TEST(Deadline, DoesNotWrapWhenItIsVeryFarAway) {
  ManualClock clock;
  clock.advance(1h);
  const Deadline deadline = Deadline::after(nanoseconds::max(), clock);
  EXPECT_FALSE(deadline.expired());
  EXPECT_EQ(deadline.poll_timeout_ms(), std::numeric_limits<int>::max());
}

TEST(Deadline, RoundsPollTimeoutsUp) {
  ManualClock clock;
  EXPECT_EQ(Deadline::after(1ns, clock).poll_timeout_ms(), 1);
  EXPECT_EQ(Deadline::after(1500us, clock).poll_timeout_ms(), 2);
  EXPECT_EQ(Deadline::after(0s, clock).poll_timeout_ms(), 0);
}

TEST(Deadline, KnowsWhetherItComesByItself) {
  const ManualClock clock;
  EXPECT_FALSE(Deadline::after(1h, clock).on_real_clock());
  EXPECT_TRUE(Deadline::after(1h).on_real_clock());
}

TEST(Deadline, UsesTheMonotonicClockByDefault) {
  const Deadline deadline = Deadline::after(1h);
  EXPECT_LE(deadline.remaining(), 1h);
  EXPECT_GE(deadline.elapsed(), 0s);
  EXPECT_FALSE(deadline.expired());
}

}  // namespace
}  // namespace lockstep
