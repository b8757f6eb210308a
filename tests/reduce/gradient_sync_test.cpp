#include "lockstep/gradient_sync.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "comm/local/local_backend.h"
#include "reduce/shm_ranks.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Each gradient a bucket of its own.
GradientSyncOptions inline_buckets() {
  return {.bucket_caps = {1}, .progress = Progress::kInline};
}

void mark_all(GradientSync& sync, const std::vector<std::size_t>& order) {
  for (const std::size_t index : order) {
    sync.mark_ready(index);
  }
}

class AGradientSync : public ::testing::TestWithParam<RankMode> {};

template <class T>
void expect_average(const GradientSync& sync, std::size_t index, int ranks, int step) {
  const auto values = sync.values<T>(index);
  for (std::size_t k = 0; k < values.size(); ++k) {
    // Rank r gives 6 (r + 1) (index + 1) + k + step.
    const auto expected = static_cast<T>(3 * (ranks + 1)) * static_cast<T>(index + 1) + static_cast<T>(k) +
                          static_cast<T>(step);
    ASSERT_EQ(values[k], expected) << "gradient " << index << " element " << k << " step " << step;
  }
}

template <class T>
void put(const GradientSync& sync, std::size_t index, int rank, int step) {
  const auto values = sync.values<T>(index);
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] =
        static_cast<T>(6 * (rank + 1)) * static_cast<T>(index + 1) + static_cast<T>(k) + static_cast<T>(step);
  }
}

TEST_P(AGradientSync, AveragesIntegersExactly) {
  for (const int ranks : {1, 2, 3}) {
    for (const Progress progress : {Progress::kInline, Progress::kThread}) {
      run_with_communicator(ranks, GetParam(), [=](Communicator& communicator, RankContext& rank) {
        GradientSync sync(communicator,
                          {{.name = "one", .count = 1},
                           {.name = "wide", .count = 17, .dtype = DType::kF64},
                           {.name = "none", .count = 0},
                           {.name = "large", .count = 5000},
                           {.name = "wider", .count = 300, .dtype = DType::kF64}},
                          {.bucket_caps = {64, 4096}, .progress = progress});
        for (int step = 0; step < 4; ++step) {
          for (const std::size_t index : {3U, 0U, 2U}) {
            put<float>(sync, index, rank.rank(), step);
            sync.mark_ready(index);
          }
          for (const std::size_t index : {4U, 1U}) {
            put<double>(sync, index, rank.rank(), step);
            sync.mark_ready(index);
          }
          sync.finish();
          for (const std::size_t index : {0U, 2U, 3U}) {
            expect_average<float>(sync, index, ranks, step);
          }
          for (const std::size_t index : {1U, 4U}) {
            expect_average<double>(sync, index, ranks, step);
          }
        }
      }).expect_all_ok();
    }
  }
}

TEST_P(AGradientSync, CountsWhatWasNotMarkedAsZeros) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, three_gradients(), inline_buckets());
    for (int step = 0; step < 3; ++step) {
      for (std::size_t index = 0; index < 3; ++index) {
        fill(sync, index, 8.0F);
      }
      sync.mark_ready(2);
      if (rank.rank() == 0) {
        sync.mark_ready(1);
      }
      sync.finish();
      EXPECT_EQ(value_of(sync, 2), 8.0F);
      EXPECT_EQ(value_of(sync, 1), 4.0F);
      EXPECT_EQ(value_of(sync, 0), 0.0F);
      EXPECT_TRUE(sync.used_anywhere(2));
      EXPECT_TRUE(sync.used_anywhere(1));
      EXPECT_FALSE(sync.used_anywhere(0));
    }
  }).expect_all_ok();
}

TEST_P(AGradientSync, IncludesWhatAGradientHoldsInTheEnd) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, three_gradients(), inline_buckets());
    for (int step = 0; step < 3; ++step) {
      sync.include(0, /*used=*/false);
      sync.include(1, /*used=*/rank.rank() == 1);
      sync.include(2, /*used=*/false);
      for (std::size_t index = 0; index < 3; ++index) {
        fill(sync, index, rank.rank() == 0 ? 2.0F : 4.0F);  // later than include(), earlier than finish()
      }
      sync.mark_ready(2);  // marked is used, whatever was said before
      sync.finish();
      for (std::size_t index = 0; index < 3; ++index) {
        EXPECT_EQ(value_of(sync, index), 3.0F);
      }
      EXPECT_FALSE(sync.used_anywhere(0));
      EXPECT_TRUE(sync.used_anywhere(1));
      EXPECT_TRUE(sync.used_anywhere(2));
    }
  }).expect_all_ok();
}

TEST_P(AGradientSync, StartsBucketsEarlyFromTheSecondStepOn) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext&) {
    GradientSync sync(communicator, three_gradients(), inline_buckets());
    const auto journal = std::make_shared<Journal>();
    communicator.attach(journal);
    mark_all(sync, {2, 1, 0});
    EXPECT_THAT(journal->take(), IsEmpty()) << "a gradient may still come in pieces";
    sync.finish();
    EXPECT_THAT(journal->take(), ElementsAre("bucket 0", "bucket 1", "bucket 2", "order of gradients"));
    sync.mark_ready(1);
    EXPECT_THAT(journal->take(), IsEmpty()) << "bucket 1 waits for bucket 0";
    sync.mark_ready(2);
    EXPECT_THAT(journal->take(), ElementsAre("bucket 0", "bucket 1"));
    sync.mark_ready(0);
    EXPECT_THAT(journal->take(), ElementsAre("bucket 2"));
    sync.finish();
    EXPECT_THAT(journal->take(), IsEmpty()) << "the tail of the step went with the last bucket";
  }).expect_all_ok();
}

TEST_P(AGradientSync, LetsItsThreadStartBuckets) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, three_gradients(), {.bucket_caps = {1}, .progress = Progress::kThread});
    const auto journal = std::make_shared<Journal>();
    communicator.attach(journal);
    mark_all(sync, {2, 1, 0});
    sync.finish();
    journal->take();
    sync.mark_ready(2);
    std::vector<std::string> started;
    while (started.empty() && !rank.deadline().expired()) {
      std::this_thread::yield();
      started = journal->take();
    }
    EXPECT_THAT(started, ElementsAre("bucket 0"));
    sync.finish();
  }).expect_all_ok();
}

TEST_P(AGradientSync, SendsTheTailInTheEndWhenItCannotRide) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, {{.name = "wide", .count = 3, .dtype = DType::kF64}}, inline_buckets());
    const auto journal = std::make_shared<Journal>();
    for (int step = 0; step < 3; ++step) {
      if (step == 1) {
        communicator.attach(journal);
      }
      std::fill_n(sync.values<double>(0).begin(), 3, rank.rank() + 1.0);
      sync.mark_ready(0);
      if (step > 0) {
        EXPECT_THAT(journal->take(), ElementsAre("bucket 0"));
      }
      sync.finish();
      if (step > 0) {
        EXPECT_THAT(journal->take(), ElementsAre("end of step"));
      }
      EXPECT_THAT(sync.values<double>(0), ElementsAre(1.5, 1.5, 1.5));
      EXPECT_TRUE(sync.used_anywhere(0));
      EXPECT_EQ(sync.ranks_with_data(), 2);
    }
  }).expect_all_ok();
}

TEST_P(AGradientSync, FollowsTheOrderInWhichGradientsCameOnRank0) {
  run_with_communicator(3, GetParam(), [](Communicator& communicator, RankContext& rank) {
    const std::vector<std::vector<std::size_t>> orders = {{1, 2, 0}, {0, 1, 2}, {2, 0, 1}};
    const auto& order = orders[static_cast<std::size_t>(rank.rank())];
    GradientSync sync(communicator, three_gradients(), inline_buckets());
    EXPECT_EQ(sync.describe(),
              "bucket  type  gradients       size  first and last to come\n"
              "     0  f32           1      448 B  c\n"
              "     1  f32           1      128 B  b\n"
              "     2  f32           1       64 B  a\n");
    EXPECT_EQ(sync.bucket_count(), 3U);
    for (int step = 0; step < 4; ++step) {
      EXPECT_EQ(sync.generation(), step == 0 ? 0U : 1U);
      for (const std::size_t index : order) {
        fill(sync, index, static_cast<float>(index) + 3.0F * static_cast<float>(rank.rank()));
        sync.mark_ready(index);
      }
      sync.finish();
      for (std::size_t index = 0; index < 3; ++index) {
        EXPECT_EQ(value_of(sync, index), static_cast<float>(index) + 3.0F) << "values move along";
      }
    }
    EXPECT_EQ(sync.describe(),
              "bucket  type  gradients       size  first and last to come\n"
              "     0  f32           1      128 B  b\n"
              "     1  f32           1      448 B  c\n"
              "     2  f32           1       64 B  a\n");
  }).expect_all_ok();
}

TEST_P(AGradientSync, PutsWhatDidNotComeBehind) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, three_gradients(), inline_buckets());
    sync.mark_ready(rank.rank() == 0 ? 0 : 2);
    sync.finish();
    EXPECT_EQ(sync.describe(),
              "bucket  type  gradients       size  first and last to come\n"
              "     0  f32           1       64 B  a\n"
              "     1  f32           1      448 B  c\n"
              "     2  f32           1      128 B  b\n");
  }).expect_all_ok();
}

TEST_P(AGradientSync, KeepsItsMemoryWhenTheOrderFits) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext&) {
    GradientSync sync(communicator, three_gradients(), inline_buckets());
    mark_all(sync, {2, 1, 0});
    sync.finish();
    EXPECT_EQ(sync.generation(), 0U);
  }).expect_all_ok();
}

TEST_P(AGradientSync, StaysInPlaceWhenAskedTo) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext&) {
    GradientSyncOptions options = inline_buckets();
    options.follow_arrival_order = false;
    GradientSync sync(communicator, three_gradients(), options);
    const auto journal = std::make_shared<Journal>();
    communicator.attach(journal);
    mark_all(sync, {0, 1, 2});
    sync.finish();
    EXPECT_EQ(sync.generation(), 0U);
    EXPECT_THAT(journal->take(), ElementsAre("bucket 0", "bucket 1", "bucket 2"));
    sync.mark_ready(2);
    EXPECT_THAT(journal->take(), ElementsAre("bucket 0")) << "early all the same";
    sync.finish();
  }).expect_all_ok();
}

TEST_P(AGradientSync, WithAStaticGraphRemembersWhatTheFirstStepUsed) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext& rank) {
    GradientSyncOptions options = inline_buckets();
    options.static_graph = true;
    GradientSync sync(communicator, three_gradients(), options);
    for (int step = 0; step < 3; ++step) {
      sync.mark_ready(rank.rank() == 0 ? 1 : 2);
      sync.finish();
      EXPECT_FALSE(sync.used_anywhere(0));
      EXPECT_TRUE(sync.used_anywhere(1));
      EXPECT_TRUE(sync.used_anywhere(2));
    }
  }).expect_all_ok();
}

TEST_P(AGradientSync, WithoutGradientsStillMakesSteps) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, {});
    EXPECT_EQ(sync.size(), 0U);
    sync.finish();
    EXPECT_EQ(sync.ranks_with_data(), 2);
    EXPECT_EQ(sync.bucket_count(), 0U);
    if (rank.rank() == 0) {
      sync.finish();
    } else {
      EXPECT_TRUE(sync.shadow());
    }
    EXPECT_FALSE(sync.shadow());
  }).expect_all_ok();
}

TEST_P(AGradientSync, TellsTheTimesOfItsSteps) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext&) {
    GradientSync sync(communicator, three_gradients(), inline_buckets());
    EXPECT_EQ(sync.mean_step().buckets, 0U);
    for (int step = 0; step < 3; ++step) {
      mark_all(sync, {2, 1, 0});
      sync.finish();
      const GradientSyncTimes times = sync.last_step();
      EXPECT_EQ(times.buckets, 3U);
      // The buckets, and with the last one 2 ranks x 3 digits + 3 flags.
      EXPECT_EQ(times.bytes, 448U + 128U + 64U + 9U * 4U);
      EXPECT_GT(times.communication.count(), 0);
      EXPECT_GE(times.exposed.count(), 0);
      EXPECT_GE(times.hidden.count(), 0);
      EXPECT_EQ(times.exposed + times.hidden, times.communication);
    }
    EXPECT_EQ(sync.mean_step().bytes, sync.last_step().bytes);
    EXPECT_EQ(sync.mean_step().buckets, 3U);
  }).expect_all_ok();
}

TEST_P(AGradientSync, GoesAwayInTheMiddleOfAStep) {
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    run_with_communicator(2, GetParam(), [=](Communicator& communicator, RankContext&) {
      GradientSync sync(communicator, three_gradients(), {.bucket_caps = {1}, .progress = progress});
      mark_all(sync, {2, 1, 0});
      sync.finish();
      sync.mark_ready(2);
      EXPECT_TRUE(sync.in_step());
    }).expect_all_ok();
  }
}

TEST_P(AGradientSync, LeavesItsMemoryToWhoeverHoldsIt) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext&) {
    SymmetricMemory memory;
    {
      GradientSync sync(communicator, three_gradients(), inline_buckets());
      fill(sync, 2, 5.0F);
      memory = sync.memory();
    }
    EXPECT_EQ(memory.as<float>()[0], 5.0F);
  }).expect_all_ok();
}

TEST_P(AGradientSync, RefusesRanksWithOtherGradients) {
  const auto results =
      run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext& rank) {
        std::vector<GradientSpec> gradients = three_gradients();
        gradients.resize(rank.rank() == 0 ? 3 : 2);
        const GradientSync sync(communicator, gradients);
      });
  for (const RankResult& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, AGradientSync, ::testing::ValuesIn(kRankModes), rank_mode_name);

class OneRank : public ::testing::Test {
 protected:
  Communicator communicator{make_local_backend()};
};

TEST_F(OneRank, KeepsItsGradients) {
  GradientSync sync(communicator, three_gradients());
  for (int step = 0; step < 3; ++step) {
    fill(sync, 1, 7.0F);
    sync.mark_ready(1);
    sync.finish();
    EXPECT_EQ(value_of(sync, 1), 7.0F);
    EXPECT_EQ(sync.ranks_with_data(), 1);
    EXPECT_EQ(sync.first_rank_with_data(), 0);
  }
}

TEST_F(OneRank, KnowsWhetherItIsInAStep) {
  GradientSync sync(communicator, three_gradients());
  EXPECT_FALSE(sync.in_step());
  sync.include(0);
  EXPECT_TRUE(sync.in_step());
  EXPECT_EQ(message_of([&] { sync.shadow(); }), "this rank is in a step of its own: finish() it first");
  sync.finish();
  EXPECT_FALSE(sync.in_step());
}

TEST_F(OneRank, RefusesAnIndexThatDoesNotExist) {
  GradientSync sync(communicator, three_gradients());
  const std::string text = "there is no gradient 3, only 3 of them";
  EXPECT_EQ(message_of([&] { sync.mark_ready(3); }), text);
  EXPECT_EQ(message_of([&] { sync.include(3); }), text);
  EXPECT_EQ(message_of([&] { sync.gradient(3); }), text);
  EXPECT_EQ(message_of([&] { sync.values<float>(3); }), text);
  EXPECT_EQ(message_of([&] { sync.spec(3); }), text);
  EXPECT_EQ(message_of([&] { sync.used_anywhere(3); }), text);
  EXPECT_FALSE(sync.in_step());
  EXPECT_EQ(sync.spec(2).name, "c");
}

TEST_F(OneRank, RefusesValuesOfAnotherType) {
  const GradientSync sync(communicator, three_gradients());
  EXPECT_EQ(message_of([&] { sync.values<double>(1); }), "gradient 'b' is f32, not f64");
}

TEST_F(OneRank, RefusesSamplesThatAreNoWeight) {
  GradientSync sync(communicator, three_gradients());
  EXPECT_EQ(message_of([&] { sync.set_samples(0); }), "0 samples: must be a number above 0");
  EXPECT_EQ(message_of([&] { sync.set_samples(-1.5); }), "-1.5 samples: must be a number above 0");
  EXPECT_EQ(message_of([&] { sync.set_samples(std::nan("")); }), "nan samples: must be a number above 0");
  EXPECT_EQ(message_of([&] { sync.set_samples(std::numeric_limits<double>::infinity()); }),
            "inf samples: must be a number above 0");
  EXPECT_EQ(sync.samples(), 1);
}

TEST_F(OneRank, RefusesToChangeTheWeightOfAStepThatHasBegun) {
  GradientSync sync(communicator, three_gradients());
  sync.mark_ready(0);
  EXPECT_EQ(message_of([&] { sync.set_samples(4); }),
            "samples are set before a step begins, this rank is in one");
  sync.finish();
  sync.set_samples(4);
  EXPECT_EQ(sync.samples(), 4);
}

}  // namespace
}  // namespace lockstep::testing
