#include "reduce/sync_defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/local/local_backend.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

TEST(DefaultBucketCaps, AreSmallerWhereMemoryIsShared) {
  EXPECT_THAT(default_bucket_caps("shm"), ElementsAre(1 << 20, 8 << 20));
  EXPECT_THAT(default_bucket_caps("local"), ElementsAre(1 << 20, 8 << 20));
  EXPECT_THAT(default_bucket_caps("gloo"), ElementsAre(1 << 20, 25 << 20));
}

TEST(ChooseProgress, TakesAThreadWhenEveryRankHasTwoCores) {
  EXPECT_EQ(choose_progress(4, 2), Progress::kThread);
  EXPECT_EQ(choose_progress(3, 2), Progress::kInline);
  EXPECT_EQ(choose_progress(2, 2), Progress::kInline);
  EXPECT_EQ(choose_progress(2, 1), Progress::kThread);
  EXPECT_EQ(choose_progress(1, 1), Progress::kInline);
}

TEST(WithDefaults, FillsInWhatWasLeftOpen) {
  const Communicator communicator(make_local_backend());
  const GradientSyncOptions options = with_defaults({}, communicator);
  EXPECT_EQ(options.bucket_caps, default_bucket_caps("local"));
  EXPECT_NE(options.progress, Progress::kAuto);
}

TEST(WithDefaults, KeepsWhatWasChosen) {
  const Communicator communicator(make_local_backend());
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    const GradientSyncOptions options = with_defaults(
        {.bucket_caps = {7}, .progress = progress, .divisor = Divisor::kSamples, .static_graph = true},
        communicator);
    EXPECT_THAT(options.bucket_caps, ElementsAre(7));
    EXPECT_EQ(options.progress, progress);
    EXPECT_EQ(options.divisor, Divisor::kSamples);
    EXPECT_TRUE(options.static_graph);
    EXPECT_TRUE(options.follow_arrival_order);
  }
}

}  // namespace
}  // namespace lockstep
