#include "reduce/sync_times.h"

#include <gtest/gtest.h>

#include <chrono>

namespace lockstep {
namespace {

using namespace std::chrono_literals;

StepMoments moments(std::chrono::nanoseconds first_start, std::chrono::nanoseconds finish_began,
                    std::chrono::nanoseconds last_end) {
  return {Clock::Time(first_start), Clock::Time(finish_began), Clock::Time(last_end)};
}

TEST(SyncTimes, AreZeroBeforeTheFirstStep) {
  const SyncTimes times;
  EXPECT_EQ(times.steps(), 0U);
  EXPECT_EQ(times.last().communication, 0ns);
  EXPECT_EQ(times.mean().communication, 0ns);
  EXPECT_EQ(times.mean().buckets, 0U);
}

TEST(SyncTimes, SplitCommunicationAtTheBeginningOfFinish) {
  SyncTimes times;
  times.add(moments(10ms, 30ms, 35ms), 400, 3);
  EXPECT_EQ(times.last().communication, 25ms);
  EXPECT_EQ(times.last().hidden, 20ms);
  EXPECT_EQ(times.last().exposed, 5ms);
  EXPECT_EQ(times.last().bytes, 400U);
  EXPECT_EQ(times.last().buckets, 3U);
}

TEST(SyncTimes, HideWhatEndedBeforeFinish) {
  SyncTimes times;
  times.add(moments(10ms, 30ms, 20ms), 1, 1);
  EXPECT_EQ(times.last().hidden, 10ms);
  EXPECT_EQ(times.last().exposed, 0ns);
}

TEST(SyncTimes, ExposeWhatStartedInFinish) {
  SyncTimes times;
  times.add(moments(32ms, 30ms, 40ms), 1, 1);
  EXPECT_EQ(times.last().hidden, 0ns);
  EXPECT_EQ(times.last().exposed, 8ms);
}

TEST(SyncTimes, AreAveragedOverSteps) {
  SyncTimes times;
  times.add(moments(0ms, 4ms, 10ms), 100, 2);
  times.add(moments(20ms, 40ms, 40ms), 300, 4);
  EXPECT_EQ(times.steps(), 2U);
  EXPECT_EQ(times.mean().communication, 15ms);
  EXPECT_EQ(times.mean().hidden, 12ms);
  EXPECT_EQ(times.mean().exposed, 3ms);
  EXPECT_EQ(times.mean().bytes, 200U);
  EXPECT_EQ(times.mean().buckets, 3U);
}

}  // namespace
}  // namespace lockstep
