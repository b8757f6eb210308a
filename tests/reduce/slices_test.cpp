// Buckets that ranks own in slices: what a step leaves where, and how it becomes whole again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reduce/shm_ranks.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;

std::vector<GradientSpec> three() {
  return {{.name = "a", .count = 3}, {.name = "b", .count = 50}, {.name = "c", .count = 1000}};
}

// A number that differs between elements, gradients, steps and ranks, and whose sums are not exact.
float sample(int rank, int step, std::size_t gradient, std::size_t element) {
  return 0.1F * static_cast<float>(rank + 1) + 0.37F * static_cast<float>(step) +
         1e-3F * static_cast<float>(element) + static_cast<float>(gradient);
}

void run_step(GradientSync& sync, int rank, int step) {
  for (std::size_t index = sync.size(); index-- > 0;) {
    const auto values = sync.values<float>(index);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = sample(rank, step, index, i);
    }
    sync.mark_ready(index);
  }
  sync.finish();
}

// The elements of gradient `index` in this rank's slice of its bucket: where they begin, and where they end.
std::pair<std::size_t, std::size_t> owned(const GradientSync& sync, const Communicator& communicator,
                                          std::size_t index) {
  for (const GradientBucket& bucket : sync.buckets()) {
    const std::size_t slice = bucket.values.count() / static_cast<std::size_t>(communicator.size());
    const std::size_t begin = slice * static_cast<std::size_t>(communicator.rank());
    for (const BucketGradient& gradient : bucket.gradients) {
      if (gradient.index == index) {
        const auto offset =
            static_cast<std::size_t>(gradient.values.data() - bucket.values.data()) / sizeof(float);
        const auto clamp = [&](std::size_t place) {
          return std::min(std::max(place, offset), offset + gradient.values.count()) - offset;
        };
        return {clamp(begin), clamp(begin + slice)};
      }
    }
  }
  return {0, 0};
}

class Slices : public ::testing::TestWithParam<int> {};

TEST_P(Slices, HoldTheBitsOfAnAllReduceAndLeaveTheRestAlone) {
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    run_with_communicator(GetParam(), RankMode::kThreads, [=](Communicator& communicator, RankContext& rank) {
      const GradientSyncOptions options{.bucket_caps = {256, 1 << 20}, .progress = progress};
      GradientSync whole(communicator, three(), options);
      GradientSync sliced(communicator, three(), options);
      sliced.slice_buckets(Share::kSlice);
      std::size_t mine = 0;
      for (int step = 0; step < 4; ++step) {
        run_step(whole, rank.rank(), step);
        run_step(sliced, rank.rank(), step);
        EXPECT_EQ(sliced.complete(), step == 0 || communicator.size() == 1)
            << "the first step is averaged whole";
        for (std::size_t index = 0; index < 3; ++index) {
          const auto expected = whole.values<float>(index);
          const auto actual = sliced.values<float>(index);
          const auto [begin, end] = owned(sliced, communicator, index);
          mine += end - begin;
          for (std::size_t i = 0; i < expected.size(); ++i) {
            const bool averaged = step == 0 || (i >= begin && i < end);
            ASSERT_EQ(actual[i], averaged ? expected[i] : sample(rank.rank(), step, index, i))
                << "element " << i << " of gradient " << index << " in step " << step;
          }
        }
        sliced.gather();
        EXPECT_TRUE(sliced.complete());
        for (std::size_t index = 0; index < 3; ++index) {
          EXPECT_EQ(std::memcmp(sliced.gradient(index).data(), whole.gradient(index).data(),
                                whole.gradient(index).bytes()),
                    0);
        }
      }
      EXPECT_GT(mine, 0U);
      EXPECT_EQ(sliced.ranks_with_data(), communicator.size());
    }).expect_all_ok();
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Slices, ::testing::Values(1, 2, 3), ::testing::PrintToStringParamName());

TEST(Slicing, CutsBucketsIntoEqualPartsOfWholeCacheLines) {
  run_with_communicator(3, RankMode::kThreads, [](Communicator& communicator, RankContext&) {
    GradientSync sync(communicator, three(), {.bucket_caps = {256, 1 << 20}});
    const std::uint64_t before = sync.generation();
    sync.slice_buckets(Share::kWhole);
    EXPECT_EQ(sync.generation(), before + 1) << "gradients have moved";
    sync.slice_buckets(Share::kSlice);
    EXPECT_EQ(sync.generation(), before + 1) << "and need not again";
    ASSERT_EQ(sync.buckets().size(), 2U);
    for (const GradientBucket& bucket : sync.buckets()) {
      EXPECT_EQ(bucket.values.bytes() % (3 * 64), 0U);
    }
  }).expect_all_ok();
}

TEST(Slicing, SendsTheCountersOfAStepBesideTheBuckets) {
  run_with_communicator(2, RankMode::kThreads, [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, three(), {.bucket_caps = {256, 1 << 20}, .progress = Progress::kInline});
    sync.slice_buckets(Share::kSlice);
    run_step(sync, rank.rank(), 0);
    const auto journal = std::make_shared<Journal>();
    communicator.attach(journal);
    run_step(sync, rank.rank(), 1);
    sync.gather();
    sync.gather();  // once is enough
    EXPECT_THAT(journal->take(), ElementsAre("bucket 0", "bucket 1", "end of step", "bucket 0", "bucket 1"));
  }).expect_all_ok();
}

TEST(Slicing, KeepsWholeAveragesWhenAskedTo) {
  run_with_communicator(2, RankMode::kThreads, [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, three());
    sync.slice_buckets(Share::kWhole);
    for (int step = 0; step < 2; ++step) {
      for (std::size_t index = 0; index < 3; ++index) {
        fill(sync, index, static_cast<float>(rank.rank()));
        sync.mark_ready(index);
      }
      sync.finish();
      EXPECT_TRUE(sync.complete());
      EXPECT_EQ(value_of(sync, 2), 0.5F);
    }
  }).expect_all_ok();
}

TEST(Slicing, ScalesByTheRanksThatHaveData) {
  run_with_communicator(2, RankMode::kThreads, [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, three());
    sync.slice_buckets(Share::kSlice);
    run_step(sync, rank.rank(), 0);
    if (rank.rank() == 0) {
      for (std::size_t index = 0; index < 3; ++index) {
        fill(sync, index, 3);
        sync.mark_ready(index);
      }
      sync.finish();
    } else {
      EXPECT_TRUE(sync.shadow());
    }
    const auto [begin, end] = owned(sync, communicator, 2);
    const auto values = sync.values<float>(2);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i], rank.rank() == 0 || (i >= begin && i < end) ? 3.0F : 0.0F) << i;
    }
    sync.gather();
    EXPECT_EQ(value_of(sync, 2), 3.0F);
    EXPECT_FALSE(sync.shadow());
  }).expect_all_ok();
}

TEST(Slicing, IsRefusedInAStepAndWhenRanksDiffer) {
  const auto results =
      run_with_communicator(2, RankMode::kThreads, [](Communicator& communicator, RankContext& rank) {
        GradientSync sync(communicator, three());
        sync.mark_ready(0);
        EXPECT_EQ(message_of([&] { sync.slice_buckets(Share::kSlice); }),
                  "buckets are sliced between two steps, this rank is in one");
        sync.finish();
        sync.slice_buckets(rank.rank() == 0 ? Share::kSlice : Share::kWhole);
      });
  for (const RankResult& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
  }
}

}  // namespace
}  // namespace lockstep::testing
