// Reductions of the user's own in the place of the all-reduce.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "reduce/shm_ranks.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;

GradientSyncOptions inline_buckets(std::vector<std::size_t> caps) {
  return {.bucket_caps = std::move(caps), .progress = Progress::kInline};
}

// A sum in two stages, divided in the end: the parts of all ranks gathered after each has summed up its own.
class TwoStages final : public BucketReduction {
 public:
  std::string_view name() const override { return "two stages"; }
  std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator& communicator) override {
    std::string text = std::string(bucket.label) + (bucket.last ? " (last):" : ":");
    for (const BucketGradient& gradient : bucket.gradients) {
      text += " " + std::string(gradient.name);
    }
    seen.push_back(text + ", " + std::to_string(bucket.values.count()));
    return reduce_in_stages(
        {[bucket, &communicator] {
           return communicator.start_reduce_scatter(bucket.values, ReduceOp::kSum, {.label = "scatter"});
         },
         [bucket, &communicator] {
           return communicator.start_all_gather(bucket.values, {.label = "gather"});
         }},
        [bucket, &communicator] {
          for (float& value :
               std::span(reinterpret_cast<float*>(bucket.values.data()), bucket.values.count())) {
            value /= static_cast<float>(communicator.size());
          }
        });
  }

  std::vector<std::string> seen;
};

class OwnReduction : public ::testing::TestWithParam<RankMode> {};

TEST_P(OwnReduction, GetsEveryBucketWithoutTheTail) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext& rank) {
    const auto reduction = std::make_shared<TwoStages>();
    GradientSync sync(communicator, three_gradients(), inline_buckets({256, 1 << 20}));
    sync.set_reduction(reduction);
    EXPECT_EQ(sync.generation(), 1U) << "choosing a reduction moves the gradients";
    const auto journal = std::make_shared<Journal>();
    communicator.attach(journal);
    for (const std::size_t index : {2U, 1U, 0U}) {
      fill(sync, index, static_cast<float>(rank.rank() + 1));
      sync.mark_ready(index);
    }
    sync.finish();
    EXPECT_THAT(reduction->seen, ElementsAre("bucket 0: c, 112", "bucket 1 (last): b a, 48"));
    EXPECT_THAT(journal->take(),
                ElementsAre("scatter", "gather", "scatter", "gather", "end of step", "order of gradients"));
    for (std::size_t index = 0; index < 3; ++index) {
      EXPECT_EQ(value_of(sync, index), 1.5F);
    }
    EXPECT_EQ(sync.ranks_with_data(), 2);
  }).expect_all_ok();
}

TEST_P(OwnReduction, MayTakeSeveralStagesInEveryProgressMode) {
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    run_with_communicator(2, GetParam(), [=](Communicator& communicator, RankContext& rank) {
      GradientSync sync(communicator, three_gradients(), {.bucket_caps = {1}, .progress = progress});
      sync.set_reduction(std::make_shared<TwoStages>());
      for (int step = 0; step < 20; ++step) {
        for (const std::size_t index : {1U, 2U, 0U}) {
          fill(sync, index, static_cast<float>(rank.rank() + 1 + step));
          sync.mark_ready(index);
        }
        sync.finish();
        for (std::size_t index = 0; index < 3; ++index) {
          ASSERT_EQ(value_of(sync, index), 1.5F + static_cast<float>(step));
        }
      }
    }).expect_all_ok();
  }
}

// Takes a copy of a bucket when it is released, does nothing until it is waited for, and then looks whether anybody
// has touched the bucket in between.
class Suspicious final : public BucketReduction {
 public:
  std::string_view name() const override { return "suspicious"; }
  std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator& communicator) override {
    return std::make_unique<Guarded>(bucket, communicator);
  }

 private:
  class Guarded final : public BucketWork {
   public:
    Guarded(const GradientBucket& bucket, Communicator& communicator)
        : bucket_(bucket),
          communicator_(communicator),
          copy_(bucket.values.data(), bucket.values.data() + bucket.values.bytes()) {}

    bool poll() override { return false; }
    void wait() override {
      EXPECT_EQ(std::memcmp(copy_.data(), bucket_.values.data(), copy_.size()), 0)
          << bucket_.label << " was changed after it was released";
      communicator_.all_reduce(bucket_.values, ReduceOp::kAvg, {.label = bucket_.label});
    }
    bool all_started() const override { return true; }

   private:
    GradientBucket bucket_;
    Communicator& communicator_;
    std::vector<std::byte> copy_;
  };
};

TEST_P(OwnReduction, HasReleasedBucketsForItself) {
  for (const Divisor divisor : {Divisor::kRanksWithData, Divisor::kSamples}) {
    run_with_communicator(2, GetParam(), [=](Communicator& communicator, RankContext& rank) {
      GradientSyncOptions options = inline_buckets({1});
      options.divisor = divisor;
      GradientSync sync(communicator, three_gradients(), options);
      sync.set_reduction(std::make_shared<Suspicious>());
      sync.set_samples(rank.rank() + 1);
      for (int step = 0; step < 4; ++step) {
        for (std::size_t index = 0; index < 3; ++index) {
          fill(sync, index, static_cast<float>(index + 1));
        }
        sync.mark_ready(2);
        sync.mark_ready(1);
        sync.mark_ready(2);  // again: nothing happens
        if (step == 2) {
          sync.mark_ready(0);
        } else if (step == 3) {
          sync.include(0);
        }
        sync.finish();
        EXPECT_FLOAT_EQ(value_of(sync, 0), step >= 2 ? 1.0F : 0.0F);
        EXPECT_FLOAT_EQ(value_of(sync, 1), 2.0F);
        EXPECT_FLOAT_EQ(value_of(sync, 2), 3.0F);
      }
    }).expect_all_ok();
  }
}

TEST_P(OwnReduction, IsChosenBeforeTheFirstStep) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext&) {
    GradientSync sync(communicator, three_gradients());
    const std::string text = "a reduction is chosen before the first step";
    sync.mark_ready(0);
    EXPECT_EQ(message_of([&] { sync.set_reduction(std::make_shared<TwoStages>()); }), text);
    sync.finish();
    EXPECT_EQ(message_of([&] { sync.set_reduction(std::make_shared<TwoStages>()); }), text);
    EXPECT_EQ(message_of([&] { sync.set_reduction(nullptr); }),
              "there is no reduction to choose: the pointer is null");
    sync.finish();
  }).expect_all_ok();
}

TEST_P(OwnReduction, KeepsTheValuesWhenItIsChosen) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext&) {
    GradientSync sync(communicator, three_gradients());
    fill(sync, 1, 3.0F);
    sync.set_reduction(std::make_shared<TwoStages>());
    EXPECT_EQ(value_of(sync, 1), 3.0F);
  }).expect_all_ok();
}

TEST_P(OwnReduction, MustBeTheSameOnEveryRank) {
  const auto results =
      run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext& rank) {
        GradientSync sync(communicator, three_gradients());
        if (rank.rank() == 0) {
          sync.set_reduction(std::make_shared<TwoStages>());
        } else {
          sync.set_reduction(std::make_shared<Suspicious>());
        }
      });
  for (const RankResult& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
  }
  EXPECT_EQ(results[0].error->message(),
            "ranks differ from reduction 0 on: rank 0 has two stages, rank 1 has suspicious "
            "(rank 0 has 1 in all, rank 1 1)");
}

INSTANTIATE_TEST_SUITE_P(Modes, OwnReduction, ::testing::ValuesIn(kRankModes), rank_mode_name);

}  // namespace
}  // namespace lockstep::testing
