#include "lockstep/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "data/data_bytes.h"
#include "data/permutation.h"
#include "lockstep/config.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Indices = std::vector<std::uint64_t>;

// All ranks of a world, each with its own sampler as in a real run.
class Ranks {
 public:
  Ranks(std::uint64_t size, int ranks, const SamplerOptions& options) {
    for (int rank = 0; rank < ranks; ++rank) {
      samplers_.emplace_back(size, RankShare{.rank = rank, .ranks = ranks}, options);
    }
  }

  // The next batch with the hands put back together: position i comes from rank i mod ranks.
  SampleBatch step() {
    std::vector<SampleBatch> hands;
    SampleBatch whole;
    for (Sampler& sampler : samplers_) {
      hands.push_back(sampler.draw());
      sampler.trained(hands.back());
      EXPECT_EQ(sampler.state(), samplers_.front().state());
      whole.padding += hands.back().padding;
    }
    for (std::size_t i = 0; i < hands[0].indices.size(); ++i) {
      for (const SampleBatch& hand : hands) {
        if (i < hand.indices.size()) {
          whole.indices.push_back(hand.indices[i]);
        }
      }
    }
    smallest_ = hands.back().indices.size();
    largest_ = hands.front().indices.size();
    whole.last_in_epoch = hands[0].last_in_epoch;
    whole.samples_of_all_ranks = hands[0].samples_of_all_ranks;
    return whole;
  }

  // What an epoch gives, padding and all; also checks what every batch must fulfil.
  Indices epoch() {
    Indices all;
    for (std::uint64_t left = front().batches_left(); left > 0; --left) {
      const SampleBatch batch = step();
      all.insert(all.end(), batch.indices.begin(), batch.indices.end());
      EXPECT_EQ(batch.last_in_epoch, left == 1);
      EXPECT_EQ(batch.samples_of_all_ranks, batch.indices.size() - batch.padding);
      const bool may_differ = front().options().last_batch == LastBatch::kUneven;
      EXPECT_LE(largest_, smallest_ + (may_differ ? 1 : 0));
    }
    return all;
  }

  Sampler& front() { return samplers_.front(); }
  void restore(const SamplerState& state) {
    for (Sampler& sampler : samplers_) {
      sampler.restore(state);
    }
  }

 private:
  std::vector<Sampler> samplers_;
  std::size_t smallest_ = 0;
  std::size_t largest_ = 0;
};

Indices order_of(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch) {
  const Permutation permutation(size, seed, epoch);
  Indices order(size);
  std::generate(order.begin(), order.end(),
                [&, at = std::uint64_t{0}]() mutable { return permutation.at(at++); });
  return order;
}

// What an epoch must give in each mode, from the order alone.
Indices expected_epoch(const Indices& order, int ranks, const SamplerOptions& options) {
  Indices expected = order;
  const std::uint64_t rest = order.size() % options.batch_size;
  if (options.last_batch == LastBatch::kDrop) {
    expected.resize(order.size() - rest);
  } else if (options.last_batch == LastBatch::kPad) {
    for (std::uint64_t i = 0; (rest + i) % static_cast<std::uint64_t>(ranks) != 0; ++i) {
      expected.push_back(order[i % order.size()]);
    }
  }
  return expected;
}

class AnyWorld : public testing::TestWithParam<LastBatch> {};

TEST_P(AnyWorld, TakesTheSamplesInTheSameOrder) {
  for (const std::uint64_t size : {0, 1, 2, 97, 1'000'000}) {
    const Indices order = order_of(size, 9, 0);
    for (int ranks = 1; ranks <= 9; ++ranks) {
      const std::uint64_t per_rank = size > 1000 ? 1000 : 3;
      const SamplerOptions options{
          .batch_size = per_rank * static_cast<std::uint64_t>(ranks), .last_batch = GetParam(), .seed = 9};
      Ranks world(size, ranks, options);
      ASSERT_EQ(world.epoch(), expected_epoch(order, ranks, options))
          << size << " samples, " << ranks << " ranks";
    }
  }
}

TEST_P(AnyWorld, GoesOnWithTheNextEpochByItself) {
  const SamplerOptions options{.batch_size = 12, .last_batch = GetParam(), .seed = 1};
  Ranks world(97, 4, options);
  for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
    EXPECT_EQ(world.front().state().position, (SamplerPosition{.epoch = epoch, .consumed = 0}));
    EXPECT_EQ(world.epoch(), expected_epoch(order_of(97, 1, epoch), 4, options));
  }
}

TEST_P(AnyWorld, KeepsTheOrderOfTheDataSetWithoutShuffling) {
  const SamplerOptions options{.batch_size = 6, .shuffle = false, .last_batch = GetParam()};
  Indices order(13);
  std::iota(order.begin(), order.end(), 0);
  Ranks world(13, 3, options);
  EXPECT_EQ(world.epoch(), expected_epoch(order, 3, options));
  EXPECT_EQ(world.epoch(), expected_epoch(order, 3, options));
}

INSTANTIATE_TEST_SUITE_P(Sampler, AnyWorld,
                         testing::Values(LastBatch::kDrop, LastBatch::kPad, LastBatch::kUneven),
                         [](const auto& mode) { return std::string(to_string(mode.param)); });

// Uneven batches leave nothing out, so three epochs must come out as three orders one after the other, whatever the
// schedule of worlds and batch sizes.
TEST(Sampler, LosesAndRepeatsNothingWhenTheWorldChangesInMidEpoch) {
  constexpr std::uint64_t kSize = 997;
  std::mt19937 random(20261116);
  for (int schedule = 0; schedule < 20; ++schedule) {
    SamplerState state{.seed = 77, .size = kSize};
    Indices seen;
    int changes = 0;
    while (seen.size() < 3 * kSize) {
      const int ranks = 1 + static_cast<int>(random() % 9);
      const SamplerOptions options{.batch_size = static_cast<std::uint64_t>(ranks) + random() % 5,
                                   .last_batch = LastBatch::kUneven};
      Ranks world(kSize, ranks, options);
      world.restore(state);
      for (auto steps = 1 + random() % 10; steps > 0 && seen.size() < 3 * kSize; --steps) {
        const Indices batch = world.step().indices;
        seen.insert(seen.end(), batch.begin(), batch.end());
      }
      state = world.front().state();
      ++changes;
    }
    EXPECT_GE(changes, 50);
    Indices expected;
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      const Indices order = order_of(kSize, 77, epoch);
      expected.insert(expected.end(), order.begin(), order.end());
    }
    EXPECT_EQ(seen, expected);
  }
}

TEST(Sampler, DealsABatchOfTheSameSamplesToAnyNumberOfRanks) {
  const SamplerOptions options{.batch_size = 24, .seed = 5};
  Ranks two(500, 2, options);
  Ranks eight(500, 8, options);
  for (int step = 0; step < 45; ++step) {
    EXPECT_EQ(two.step().indices, eight.step().indices);
  }
}

TEST(Sampler, SharesPaddingBetweenRanks) {
  Ranks world(5, 4, {.batch_size = 8, .shuffle = false, .last_batch = LastBatch::kPad});
  const SampleBatch batch = world.step();
  EXPECT_THAT(batch.indices, ElementsAre(0, 1, 2, 3, 4, 0, 1, 2));
  EXPECT_EQ(batch.padding, 3);
  EXPECT_EQ(batch.samples_of_all_ranks, 5);
}

TEST(Sampler, RepeatsADataSetSmallerThanTheWorldAsOftenAsPaddingNeeds) {
  EXPECT_THAT(Ranks(2, 9, {.batch_size = 9, .shuffle = false, .last_batch = LastBatch::kPad}).step().indices,
              ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0));
}

TEST(Sampler, LeavesRanksWithoutSamplesInAnUnevenBatch) {
  Sampler last(2, {.rank = 2, .ranks = 3}, {.batch_size = 3, .last_batch = LastBatch::kUneven});
  const SampleBatch batch = last.draw();
  EXPECT_THAT(batch.indices, IsEmpty());
  EXPECT_EQ(batch.samples_of_all_ranks, 2);
  EXPECT_TRUE(batch.last_in_epoch);
}

TEST(Sampler, CountsWhatWasTrainedNotWhatWasDrawn) {
  Sampler sampler(100, {}, {.batch_size = 10});
  std::vector<SampleBatch> ahead;
  for (int i = 0; i < 15; ++i) {
    ahead.push_back(sampler.draw());
  }
  EXPECT_EQ(sampler.state().position, SamplerPosition{});
  EXPECT_EQ(sampler.batches_left(), 5);
  for (int i = 0; i < 12; ++i) {
    sampler.trained(ahead[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(sampler.state().position, (SamplerPosition{.epoch = 1, .consumed = 20}));

  Sampler resumed(100, {}, {.batch_size = 10, .seed = 1});
  resumed.restore(sampler.state());
  EXPECT_EQ(resumed.draw().indices, ahead[12].indices);
}

TEST(Sampler, MayBeDrawnFromByAnotherThreadThanTrains) {
  Sampler sampler(1000, {}, {.batch_size = 10});
  Sampler twin = sampler;
  std::vector<SampleBatch> first;
  for (int i = 0; i < 50; ++i) {
    first.push_back(sampler.draw());
  }
  std::thread loader([&sampler] {
    for (int i = 0; i < 50; ++i) {
      sampler.draw();
    }
  });
  for (const SampleBatch& batch : first) {
    sampler.trained(batch);
    EXPECT_EQ(sampler.state().position, batch.end);
  }
  loader.join();
  EXPECT_EQ(sampler.state().position, (SamplerPosition{.epoch = 0, .consumed = 500}));
  EXPECT_EQ(sampler.draw().begin, (SamplerPosition{.epoch = 1, .consumed = 0}));
  EXPECT_EQ(twin.draw().indices, first[0].indices);
}

TEST(Sampler, TakesBatchesBackInTheirOrderOnly) {
  Sampler sampler(100, {}, {.batch_size = 30});
  const SampleBatch first = sampler.draw();
  const SampleBatch second = sampler.draw();
  expect_error(
      [&] { sampler.trained(second); }, ErrorCode::kInvalidArgument,
      "the batch from sample 30 of epoch 0 on was handed back, but the next one to be trained begins at "
      "sample 0 of epoch 0");
  sampler.trained(first);
  expect_error(
      [&] { sampler.trained(first); }, ErrorCode::kInvalidArgument,
      "the batch from sample 0 of epoch 0 on was handed back, but the next one to be trained begins at "
      "sample 30 of epoch 0");
  sampler.trained(second);
  EXPECT_EQ(sampler.state().position.consumed, 60);
}

// Of 97 samples 95 are consumed: two are no batch of eight, so the next batch is of the next epoch. The state keeps
// them until then, for a run with smaller batches.
TEST(Sampler, LeavesARestIntoWhichNoBatchFits) {
  const SamplerState state{.seed = 3, .position = {.epoch = 4, .consumed = 95}, .size = 97};
  Sampler sampler(97, {}, {.batch_size = 8});
  sampler.restore(state);
  EXPECT_EQ(sampler.state(), state);
  EXPECT_EQ(sampler.batches_left(), 12);
  const SampleBatch batch = sampler.draw();
  EXPECT_EQ(batch.begin, (SamplerPosition{.epoch = 5, .consumed = 0}));
  sampler.trained(batch);
  EXPECT_EQ(sampler.state().position, (SamplerPosition{.epoch = 5, .consumed = 8}));
}

TEST(Sampler, HasNothingToDrawWhereAnEpochHasNoBatch) {
  for (const LastBatch mode : {LastBatch::kDrop, LastBatch::kPad, LastBatch::kUneven}) {
    Sampler empty(0, {}, {.batch_size = 4, .last_batch = mode});
    EXPECT_EQ(empty.batches_left(), 0);
    expect_error([&] { empty.draw(); }, ErrorCode::kInvalidArgument,
                 "a data set of 0 samples has no batch of 4");
  }
  Sampler small(3, {}, {.batch_size = 4});
  EXPECT_EQ(small.batches_left(), 0);
  expect_error([&] { small.draw(); }, ErrorCode::kInvalidArgument,
               "a data set of 3 samples has no batch of 4");
}

TEST(Sampler, RefusesWhatCannotWork) {
  const auto make = [](std::uint64_t size, RankShare share, SamplerOptions options) {
    return [=] { Sampler(size, share, options); };
  };
  expect_error(make(9, {.rank = 2, .ranks = 2}, {}), ErrorCode::kInvalidArgument, "there is no rank 2 of 2");
  expect_error(make(9, {.rank = -1, .ranks = 2}, {}), ErrorCode::kInvalidArgument,
               "there is no rank -1 of 2");
  expect_error(make(9, {.rank = 0, .ranks = 0}, {}), ErrorCode::kInvalidArgument, "there is no rank 0 of 0");
  expect_error(make(9, {}, {.batch_size = 0}), ErrorCode::kInvalidArgument, "the batch size must not be 0");
  expect_error(make(static_cast<std::uint64_t>(-1), {}, {}), ErrorCode::kInvalidArgument,
               "no data set has 18446744073709551615 samples");
  for (const LastBatch mode : {LastBatch::kDrop, LastBatch::kPad}) {
    expect_error(
        make(9, {.rank = 0, .ranks = 3}, {.batch_size = 4, .last_batch = mode}), ErrorCode::kInvalidArgument,
        "a batch of 4 samples cannot be shared evenly by 3 ranks: make it a multiple of their number, or "
        "allow uneven batches");
  }
  EXPECT_NO_THROW(make(9, {.rank = 0, .ranks = 3}, {.batch_size = 4, .last_batch = LastBatch::kUneven})());
}

TEST(Sampler, RefusesAStateThatCannotBeItsOwn) {
  Sampler sampler(10, {}, {.batch_size = 2});
  expect_error(
      [&] { sampler.restore({.size = 11}); }, ErrorCode::kMismatch,
      "the state is that of a data set of 11 samples, this one has 10: their orders have nothing in common");
  expect_error([&] { sampler.restore({.position = {.consumed = 11}, .size = 10}); }, ErrorCode::kCorrupt,
               "the state says that 11 of 10 samples were consumed");
  EXPECT_EQ(sampler.state(), (SamplerState{.size = 10}));
}

TEST(SamplerOptions, ComeFromTheCommandLine) {
  SamplerOptions options;
  const auto result =
      config::load(options, {"--batch-size", "64", "--no-shuffle", "--last-batch", "uneven", "--seed", "7"},
                   {.name = "train"}, {});
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(options.batch_size, 64);
  EXPECT_FALSE(options.shuffle);
  EXPECT_EQ(options.last_batch, LastBatch::kUneven);
  EXPECT_EQ(options.seed, 7);
}

}  // namespace
}  // namespace lockstep
