#include "lockstep/loader.h"

#include <ATen/autocast_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "data/data_bytes.h"
#include "dataset/tensor_matchers.h"
#include "lockstep/config.h"
#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr int kAnyThreads[] = {0, 1, 2, 4};

// Sample i is the number i, after `look` has seen it.
class Watched final : public Dataset {
 public:
  explicit Watched(
      std::uint64_t size, std::function<void(std::uint64_t)> look = [](std::uint64_t) {})
      : size_(size), look_(std::move(look)) {}

  std::uint64_t size() const override { return size_; }
  Tensors get(std::uint64_t index, SampleRandom& /*random*/) const override {
    look_(index);
    return {torch::tensor(static_cast<std::int64_t>(index))};
  }

 private:
  std::uint64_t size_;
  std::function<void(std::uint64_t)> look_;
};

// One whose own get_batch() is `batch`.
class Batched final : public Dataset {
 public:
  explicit Batched(std::function<Tensors()> batch) : batch_(std::move(batch)) {}

  std::uint64_t size() const override { return 100; }
  Tensors get(std::uint64_t /*index*/, SampleRandom& /*random*/) const override { return {}; }
  Tensors get_batch(std::span<const std::uint64_t> /*indices*/, const BatchKey& /*key*/) const override {
    return batch_();
  }

 private:
  std::function<Tensors()> batch_;
};

std::vector<std::int64_t> numbers(const Batch& batch) {
  const torch::Tensor input = batch.input().contiguous();
  return {input.data_ptr<std::int64_t>(), input.data_ptr<std::int64_t>() + input.numel()};
}

TEST(Loader, GivesTheSameBitsWithAnyNumberOfThreads) {
  const auto images = std::make_shared<SyntheticDataset>(SyntheticOptions{.size = 50, .shape = {3, 12, 12}});
  const auto data =
      map(images, compose({random_crop(2), random_horizontal_flip(), normalize({0.1, 0.2, 0.3}, {1, 2, 3})}));
  for (const int threads : kAnyThreads) {
    Sampler sampler(50, {.rank = 1, .ranks = 2}, {.batch_size = 8, .seed = 5});
    Sampler twin = sampler;
    Loader loader(data, sampler, {.threads = threads, .prefetch = 3});
    for (int step = 0; step < 14; ++step) {  // into the third epoch
      const Batch batch = loader.next();
      const SampleBatch samples = twin.draw();
      EXPECT_EQ(batch.samples.indices, samples.indices);
      EXPECT_EQ(batch.samples.begin, samples.begin);
      EXPECT_EQ(batch.size(), 4);
      expect_same(batch.tensors, data->get_batch(samples.indices, {.seed = 5, .epoch = samples.begin.epoch}));
    }
  }
}

TEST(Loader, ThrowsAnErrorOfASampleInItsTurn) {
  for (const int threads : kAnyThreads) {
    const auto data = std::make_shared<Watched>(40, [](std::uint64_t index) {
      if (index == 17 || index == 25) {
        throw std::runtime_error("a broken pixel\nat some place");
      }
    });
    Sampler sampler(40, {}, {.batch_size = 4, .shuffle = false});
    Loader loader(data, sampler, {.threads = threads, .prefetch = 4});
    for (std::int64_t i = 0; i < 4; ++i) {
      EXPECT_THAT(numbers(loader.next()), testing::ElementsAre(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3));
    }
    for (int again = 0; again < 2; ++again) {
      expect_error([&] { loader.next(); }, ErrorCode::kCorrupt, "sample 17 of the data set: a broken pixel");
    }
  }
}

TEST(Loader, SaysAllItKnowsOfAFailureInABatchOfTheDataSetsOwn) {
  const auto expect_complaint = [](const std::function<Tensors()>& batch, std::uint64_t batch_size,
                                   ErrorCode code, const std::string& message) {
    Sampler sampler(100, {}, {.batch_size = batch_size, .shuffle = false});
    Loader loader(std::make_shared<Batched>(batch), sampler);
    expect_error([&] { loader.next(); }, code, message);
  };
  expect_complaint([]() -> Tensors { throw std::runtime_error("no disk"); }, 3, ErrorCode::kCorrupt,
                   "one of the samples 0, 1, 2 of the data set: no disk");
  expect_complaint([]() -> Tensors { throw std::runtime_error("no disk"); }, 10, ErrorCode::kCorrupt,
                   "one of the samples 0, 1, 2, 3, 4, 5, 6, 7 and 2 others of the data set: no disk");
  expect_complaint([]() -> Tensors { throw Error(ErrorCode::kSystem, "sample 2: no disk"); }, 3,
                   ErrorCode::kSystem, "sample 2: no disk");
  expect_complaint(
      [] {
        return Tensors{torch::zeros({3}), torch::zeros({2, 3})};
      },
      3, ErrorCode::kInvalidArgument, "get_batch() gave a tensor of [2, 3] for 3 samples");
  expect_complaint([] { return Tensors{torch::Tensor()}; }, 3, ErrorCode::kInvalidArgument,
                   "get_batch() gave no tensor for 3 samples");
}

TEST(Loader, LeavesPositionToWhatWasTrained) {
  for (const int threads : kAnyThreads) {
    const auto data = std::make_shared<Watched>(100);
    Sampler sampler(100, {}, {.batch_size = 10, .seed = 3});
    Loader loader(data, sampler, {.threads = threads, .prefetch = 4});
    EXPECT_EQ(sampler.state().position, (SamplerPosition{.epoch = 0, .consumed = 0}));
    for (int step = 0; step < 12; ++step) {
      sampler.trained(loader.next().samples);
    }
    const Batch untrained = loader.next();
    EXPECT_EQ(sampler.state().position, (SamplerPosition{.epoch = 1, .consumed = 20}));

    Sampler resumed(100, {}, {.batch_size = 10});
    Loader again(data, resumed, {.threads = threads});
    resumed.restore(sampler.state());  // nothing is drawn before the first next()
    EXPECT_EQ(numbers(again.next()), numbers(untrained));
  }
}

TEST(Loader, HandsOutEmptySharesWithoutTensors) {
  for (const int threads : kAnyThreads) {
    Sampler sampler(5, {.rank = 2, .ranks = 3},
                    {.batch_size = 3, .shuffle = false, .last_batch = LastBatch::kUneven});
    Loader loader(std::make_shared<Watched>(5), sampler, {.threads = threads}, sampler.batches_left());
    EXPECT_THAT(numbers(loader.next()), testing::ElementsAre(2));
    const Batch empty = loader.next();
    EXPECT_EQ(empty.size(), 0);
    EXPECT_TRUE(empty.tensors.empty());
    EXPECT_TRUE(empty.samples.last_in_epoch);
    EXPECT_EQ(empty.samples.samples_of_all_ranks, 2);
    expect_error([&] { empty.input(); }, ErrorCode::kInvalidArgument,
                 "the batch has no input: the share of this rank is empty");
  }
}

TEST(Loader, LoadsNothingBeyondItsNumberOfBatches) {
  for (const int threads : kAnyThreads) {
    std::atomic<int> loaded = 0;
    const auto data = std::make_shared<Watched>(11, [&loaded](std::uint64_t) { ++loaded; });
    Sampler sampler(11, {}, {.batch_size = 4, .shuffle = false, .last_batch = LastBatch::kUneven});
    Loader loader(data, sampler, {.threads = threads}, sampler.batches_left());
    std::vector<std::int64_t> seen;
    for (int i = 0; i < 3; ++i) {
      const Batch batch = loader.next();
      for (const std::int64_t number : numbers(batch)) {
        seen.push_back(number);
      }
      sampler.trained(batch.samples);
    }
    EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    for (int again = 0; again < 2; ++again) {
      expect_error([&] { loader.next(); }, ErrorCode::kInvalidArgument,
                   "all 3 batches of the loader were handed out");
    }
    EXPECT_EQ(loaded, 11);
    EXPECT_EQ(sampler.batches_left(), 3);
  }
  Sampler sampler(11, {});
  Loader none(std::make_shared<Watched>(11), sampler, {}, 0);
  expect_error([&] { none.next(); }, ErrorCode::kInvalidArgument,
               "all 0 batches of the loader were handed out");
}

TEST(Loader, MayBeDestroyedWhileItLoads) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> under_way = 0;
    const auto data = std::make_shared<Watched>(1000, [&under_way](std::uint64_t) {
      ++under_way;
      std::this_thread::yield();
      --under_way;
    });
    Sampler sampler(1000, {}, {.batch_size = 20});
    {
      Loader loader(data, sampler, {.threads = 3, .prefetch = 8});
      for (int taken = 0; taken < round % 4; ++taken) {
        loader.next();
      }
    }
    EXPECT_EQ(under_way, 0);
    EXPECT_EQ(data.use_count(), 1);
  }
}

TEST(Loader, MayBeMoved) {
  Sampler sampler(100, {}, {.batch_size = 5, .shuffle = false});
  Loader first(std::make_shared<Watched>(100), sampler);
  EXPECT_THAT(numbers(first.next()), testing::ElementsAre(0, 1, 2, 3, 4));
  Loader second = std::move(first);
  EXPECT_THAT(numbers(second.next()), testing::ElementsAre(5, 6, 7, 8, 9));
}

// One mode that would show in the tensors, or slow down who trains, for each element.
torch::Tensor modes() {
  const torch::Tensor weight = torch::ones({2, 2}, torch::requires_grad());
  const torch::Tensor product = torch::mm(weight, weight);
  return torch::tensor({std::int64_t{at::get_num_threads()}, std::int64_t{product.requires_grad()},
                        std::int64_t{product.is_inference()},
                        std::int64_t{product.scalar_type() == at::kFloat}});
}

TEST(Loader, LoadsInOneThreadWithoutGradientsWhateverTheCallersMode) {
  at::set_num_threads(3);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  for (const int threads : kAnyThreads) {
    const c10::InferenceMode inference;
    Sampler sampler(100, {}, {.batch_size = 2});
    Loader loader(std::make_shared<Batched>([] {
                    return Tensors{torch::stack({modes(), modes()})};
                  }),
                  sampler, {.threads = threads});
    const Batch batch = loader.next();
    expect_same(batch.input()[0], torch::tensor({1, 0, 0, 1}, torch::kInt64));
    EXPECT_FALSE(batch.input().is_inference());
  }
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_EQ(at::get_num_threads(), 3);
  std::thread([] { EXPECT_EQ(at::get_num_threads(), 3); }).join();
}

TEST(Loader, CountsTheTimeThatItIsWaitedFor) {
  Sampler sampler(100, {}, {.batch_size = 10});
  Loader loader(std::make_shared<Watched>(100), sampler, {.threads = 0});
  EXPECT_EQ(loader.waited().count(), 0);
  loader.next();
  const auto once = loader.waited();
  EXPECT_GT(once.count(), 0);
  loader.next();
  EXPECT_GT(loader.waited(), once);
}

TEST(Loader, RefusesWhatCannotWork) {
  const auto data = std::make_shared<Watched>(10);
  Sampler sampler(10, {}, {.batch_size = 2});
  Sampler other(12, {}, {.batch_size = 2});
  const auto code = ErrorCode::kInvalidArgument;
  expect_error([&] { Loader(nullptr, sampler); }, code, "a loader needs a data set");
  expect_error([&] { Loader(data, other); }, code,
               "the sampler is that of a data set of 12 samples, this one has 10");
  expect_error([&] { Loader(data, sampler, {.threads = -1}); }, code,
               "a loader cannot have -1 threads, only 0 to 256");
  expect_error([&] { Loader(data, sampler, {.threads = 257}); }, code,
               "a loader cannot have 257 threads, only 0 to 256");
  expect_error([&] { Loader(data, sampler, {.prefetch = 0}); }, code,
               "a loader cannot be 0 batches ahead, only 1 to 4096");
}

TEST(Loader, SaysThatADataSetIsEmpty) {
  Sampler sampler(0, {});
  Loader loader(std::make_shared<Watched>(0), sampler);
  expect_error([&] { loader.next(); }, ErrorCode::kInvalidArgument,
               "a data set of 0 samples has no batch of 32");
}

TEST(Batch, SaysThatItHasNoTarget) {
  Sampler sampler(10, {}, {.batch_size = 2});
  Loader loader(std::make_shared<Watched>(10), sampler);
  const Batch batch = loader.next();
  expect_error([&] { batch.target(); }, ErrorCode::kInvalidArgument,
               "the batch has no target: its samples have 1 tensors");
}

TEST(LoaderOptions, AreOptionsOfAProgram) {
  LoaderOptions options;
  const auto loaded = config::load(options, {"--threads", "0", "--prefetch", "7"}, {.name = "p"}, {});
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(options.threads, 0);
  EXPECT_EQ(options.prefetch, 7);
}

}  // namespace
}  // namespace lockstep
