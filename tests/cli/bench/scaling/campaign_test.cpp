#include "cli/bench/scaling/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "bench_worker/messages.h"

namespace lockstep::bench::scaling {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

TEST(WindowLengths, DivideARunIntoAHundred) {
  EXPECT_THAT(window_lengths(20'000), SizeIs(100));
  EXPECT_THAT(window_lengths(20'000), Each(200));
}

TEST(WindowLengths, CutOffTheLast) {
  EXPECT_THAT(window_lengths(250), SizeIs(84));  // 83 of 3 steps and 1 of 1
  EXPECT_EQ(window_lengths(250).back(), 1);
}

TEST(WindowLengths, HaveAtLeastOneStep) {
  EXPECT_THAT(window_lengths(3), ElementsAre(1, 1, 1));
  EXPECT_THAT(window_lengths(0), IsEmpty());
}

TEST(WindowLengths, AreNoLongerThanAWorkerTakesAtOnce) {
  const std::vector<int> lengths = window_lengths(1'000'001);
  EXPECT_THAT(lengths, Each(Le(kMostIterations)));
  EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), 0), 1'000'001);
}

}  // namespace
}  // namespace lockstep::bench::scaling
