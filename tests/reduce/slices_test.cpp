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

std::vector<GradientSpec> small_and_large() {
  return {{.name = "a", .count = 3},     {.name = "b", .count = 5000}, {.name = "c", .count = 50},
          {.name = "d", .count = 20000}, {.name = "e", .count = 1111}, {.name = "f", .count = 9000}};
}

// Gradients of one step in memory of their own, as autograd leaves them.
std::vector<std::vector<float>> computed(const GradientSync& sync, int rank, int step) {
  std::vector<std::vector<float>> all(sync.size());
  for (std::size_t index = 0; index < all.size(); ++index) {
    for (std::size_t i = 0; i < sync.spec(index).count; ++i) {
      all[index].push_back(sample(rank, step, index, i));
    }
  }
  return all;
}

// A step in which gradients come in another order each time, and gradient `missing` does not come. Returns how many
// had to stay where they were.
int run_lent_step(GradientSync& sync, int rank, int step, std::size_t missing) {
  const auto gradients = computed(sync, rank, step);
  int stayed = 0;
  for (std::size_t k = 0; k < sync.size(); ++k) {
    const std::size_t index = (5 * k + static_cast<std::size_t>(step)) % sync.size();
    if (index != missing) {
      const Buffer place = sync.gradient(index);
      std::memset(place.data(), 0x55, place.bytes());
      stayed += sync.mark_ready(index, gradients[index]) ? 1 : 0;
    }
  }
  const std::vector<float> again(sync.spec(0).count);
  EXPECT_FALSE(sync.mark_ready(0, again)) << "it was ready before";
  sync.finish();
  for (std::size_t index = 0; index < sync.size(); ++index) {
    EXPECT_FALSE(sync.borrows(index));
  }
  return stayed;
}

TEST_P(Slices, HoldTheSameOfGradientsThatWereLent) {
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    run_with_communicator(GetParam(), RankMode::kThreads, [=](Communicator& communicator, RankContext& rank) {
      const GradientSyncOptions options{.bucket_caps = {1 << 14, 1 << 20}, .progress = progress};
      GradientSync copied(communicator, small_and_large(), options);
      GradientSync lent(communicator, small_and_large(), options);
      copied.slice_buckets(Share::kSlice);
      lent.slice_buckets(Share::kSlice);
      int stayed = 0;
      for (int step = 0; step < 6; ++step) {
        const std::size_t missing = step == 4 ? 3 : 6;
        const auto gradients = computed(copied, rank.rank(), step);
        for (std::size_t k = 0; k < copied.size(); ++k) {
          const std::size_t index = (5 * k + static_cast<std::size_t>(step)) % copied.size();
          if (index != missing) {
            std::memcpy(copied.gradient(index).data(), gradients[index].data(),
                        copied.gradient(index).bytes());
            copied.mark_ready(index);
          }
        }
        copied.finish();
        stayed += run_lent_step(lent, rank.rank(), step, missing);
        EXPECT_TRUE(step > 0 || stayed == 0) << "the first step is averaged whole";
        for (std::size_t index = 0; index < lent.size(); ++index) {
          const auto [begin, end] = owned(lent, communicator, index);
          const auto expected = copied.values<float>(index);
          const auto actual = lent.values<float>(index);
          for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_EQ(actual[i], expected[i]) << "element " << i << " of gradient " << index << " in step "
                                              << step << ", own from " << begin << " to " << end;
          }
        }
      }
      EXPECT_EQ(stayed > 0, communicator.size() > 1);
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

// Their weights are put on them where they lie in their buckets.
TEST(Slicing, CopiesGradientsThatAreWeighed) {
  run_with_communicator(2, RankMode::kThreads, [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, small_and_large(), {.divisor = Divisor::kSamples});
    sync.slice_buckets(Share::kSlice);
    sync.set_samples(rank.rank() == 0 ? 1 : 3);
    for (int step = 0; step < 3; ++step) {
      EXPECT_EQ(run_lent_step(sync, rank.rank(), step, 6), 0);
      sync.gather();
      const float expected = (sample(0, step, 3, 7) + 3 * sample(1, step, 3, 7)) / 4;
      EXPECT_NEAR(sync.values<float>(3)[7], expected, 1e-5);
    }
  }).expect_all_ok();
}

TEST(Slicing, RefusesGradientsThatDoNotFit) {
  run_with_communicator(1, RankMode::kThreads, [](Communicator& communicator, RankContext&) {
    GradientSync sync(communicator, three());
    const std::vector<float> two(2);
    const std::vector<double> doubles(3);
    EXPECT_EQ(message_of([&] { sync.mark_ready(0, two); }), "gradient 'a' has 3 x f32, not 2 x f32");
    EXPECT_EQ(message_of([&] { sync.mark_ready(0, doubles); }), "gradient 'a' has 3 x f32, not 3 x f64");
    EXPECT_FALSE(sync.in_step());
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
