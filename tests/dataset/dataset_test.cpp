#include "lockstep/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "data/data_bytes.h"
#include "dataset/tensor_matchers.h"
#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// A user's own.
class Made final : public Dataset {
 public:
  using Get = std::function<Tensors(std::uint64_t, SampleRandom&)>;

  Made(std::uint64_t size, Get get) : size_(size), get_(std::move(get)) {}

  std::uint64_t size() const override { return size_; }
  Tensors get(std::uint64_t index, SampleRandom& random) const override { return get_(index, random); }

 private:
  std::uint64_t size_;
  Get get_;
};

std::shared_ptr<const Dataset> counting(std::int64_t size) {
  return std::make_shared<TensorDataset>(Tensors{torch::arange(size)});
}

std::vector<std::int64_t> numbers_in(const Dataset& data) {
  std::vector<std::int64_t> numbers;
  for (std::uint64_t index = 0; index < data.size(); ++index) {
    numbers.push_back(sample_of(data, index)[0].item<std::int64_t>());
  }
  return numbers;
}

TEST(Dataset, StacksSamplesWithTheStreamOfEach) {
  const Made data(10, [](std::uint64_t index, SampleRandom& random) {
    return Tensors{torch::full({2}, static_cast<double>(index)), torch::tensor(random.uniform())};
  });
  expect_honours_contract(data, {7, 0, 7, 3});
  const auto drawn = [&](std::uint64_t index, const BatchKey& key) {
    return data.get_batch(std::vector{index}, key)[1].item<double>();
  };
  EXPECT_EQ(drawn(1, {.seed = 1, .epoch = 2}), drawn(1, {.seed = 1, .epoch = 2}));
  EXPECT_NE(drawn(1, {.seed = 1, .epoch = 2}), drawn(1, {.seed = 1, .epoch = 3}));
  EXPECT_NE(drawn(1, {.seed = 1, .epoch = 2}), drawn(1, {.seed = 2, .epoch = 2}));
  EXPECT_NE(drawn(1, {.seed = 1, .epoch = 2}), drawn(2, {.seed = 1, .epoch = 2}));
}

// What batch {5, 17} says when sample 17 does that.
void expect_complaint(const std::function<Tensors()>& sample_17, ErrorCode code, const std::string& message) {
  const Made data(20, [&](std::uint64_t index, SampleRandom&) {
    return index == 17 ? sample_17() : Tensors{torch::zeros({2, 3}), torch::zeros({}, torch::kInt64)};
  });
  expect_error([&] { data.get_batch(std::vector<std::uint64_t>{5, 17}, {}); }, code, message);
}

TEST(Dataset, NamesTheSampleThatCouldNotBeHad) {
  expect_complaint([]() -> Tensors { throw std::runtime_error("no such pixel\nand more"); },
                   ErrorCode::kCorrupt, "sample 17 of the data set: no such pixel");
  expect_complaint([]() -> Tensors { throw Error(ErrorCode::kNotFound, "17.png is gone"); },
                   ErrorCode::kNotFound, "sample 17 of the data set: 17.png is gone");
  expect_complaint([]() -> Tensors { throw std::bad_alloc(); }, ErrorCode::kResourceExhausted,
                   "sample 17 of the data set: out of memory");
  expect_complaint([]() -> Tensors { throw 17; }, ErrorCode::kCorrupt,
                   "sample 17 of the data set: unknown exception");
  expect_complaint(
      []() -> Tensors {
        TORCH_CHECK(false, "a bad shape");
        return {};
      },
      ErrorCode::kCorrupt, "sample 17 of the data set: a bad shape");
}

TEST(Dataset, KeepsWhatWasThrownAsTheCause) {
  const Made data(1, [](std::uint64_t, SampleRandom&) -> Tensors { throw std::out_of_range("row 3"); });
  try {
    data.get_batch(std::vector<std::uint64_t>{0}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THROW(std::rethrow_exception(error.cause()), std::out_of_range);
  }
}

TEST(Dataset, RefusesToStackSamplesThatDiffer) {
  const torch::Tensor label = torch::zeros({}, torch::kInt64);
  expect_complaint(
      [&] {
        return Tensors{torch::zeros({2, 3})};
      },
      ErrorCode::kInvalidArgument,
      "sample 17 of the data set: it has 1 tensors, the first one of its batch 2");
  expect_complaint(
      [&] {
        return Tensors{torch::zeros({2, 4}), label};
      },
      ErrorCode::kInvalidArgument,
      "sample 17 of the data set: its tensor 0 is [2, 4] Float, that of the first one of its "
      "batch [2, 3] Float");
  expect_complaint(
      [&] {
        return Tensors{torch::zeros({2, 3}), torch::zeros({}, torch::kInt32)};
      },
      ErrorCode::kInvalidArgument,
      "sample 17 of the data set: its tensor 1 is [] Int, that of the first one of its batch [] "
      "Long");
  expect_complaint(
      [&] {
        return Tensors{torch::zeros({2, 3}), torch::Tensor()};
      },
      ErrorCode::kInvalidArgument, "sample 17 of the data set: its tensor 1 is undefined");
}

TEST(TensorDataset, GivesRowsOfItsTensors) {
  const torch::Tensor x = torch::arange(24).view({4, 3, 2}).transpose(1, 2).to(torch::kFloat32);
  const torch::Tensor y = torch::tensor({3, 1, 2, 0}).requires_grad_(false);
  const TensorDataset data({x, y});
  EXPECT_EQ(data.size(), 4);
  expect_same(sample_of(data, 2), {x[2], y[2]});
  expect_honours_contract(data, {3, 0, 3, 1});
}

TEST(TensorDataset, LeavesGradientsBehind) {
  const TensorDataset data({torch::ones({2, 2}, torch::requires_grad())});
  EXPECT_FALSE(sample_of(data, 0)[0].requires_grad());
  EXPECT_FALSE(data.get_batch(std::vector<std::uint64_t>{0}, {})[0].requires_grad());
}

TEST(TensorDataset, RefusesTensorsThatAreNoSamples) {
  const auto code = ErrorCode::kInvalidArgument;
  expect_error([] { TensorDataset({}); }, code, "a data set needs at least one tensor");
  expect_error(
      [] {
        TensorDataset({torch::zeros({3, 2}), torch::zeros(4)});
      },
      code, "tensor 0 has 3 samples, tensor 1 has 4");
  expect_error(
      [] {
        TensorDataset({torch::zeros({1}), torch::tensor(1.0)});
      },
      code, "tensor 1 has no dimension that counts samples");
  expect_error([] { TensorDataset({torch::Tensor()}); }, code,
               "tensor 0 has no dimension that counts samples");
}

TEST(TensorDataset, HasNoSampleBeyondItsEnd) {
  const auto data = counting(3);
  expect_error([&] { sample_of(*data, 3); }, ErrorCode::kInvalidArgument, "there is no sample 3 of 3");
  expect_error(
      [&] {
        data->get_batch(std::vector<std::uint64_t>{0, 1UL << 63}, {});
      },
      ErrorCode::kInvalidArgument, "there is no sample 9223372036854775808 of 3");
}

TEST(SyntheticDataset, DependsOnSeedAndIndexAlone) {
  const SyntheticDataset data({.size = 50, .shape = {3, 5, 5}, .classes = 4, .seed = 1});
  EXPECT_EQ(data.size(), 50);
  expect_honours_contract(data, {49, 0, 13});
  const Tensors sample = sample_of(data, 13);
  expect_same(sample[1], torch::tensor(13 % 4, torch::kInt64));
  EXPECT_EQ(sample[0].sizes(), (torch::IntArrayRef{3, 5, 5}));
  expect_same(sample, sample_of(data, 13, {.seed = 9, .epoch = 9}));
  EXPECT_FALSE(torch::equal(sample[0], sample_of(data, 17)[0]));
  const SyntheticDataset other({.size = 50, .shape = {3, 5, 5}, .classes = 4, .seed = 2});
  EXPECT_FALSE(torch::equal(sample[0], sample_of(other, 13)[0]));
}

TEST(SyntheticDataset, IsAPatternOfTheClassAndNoiseAroundIt) {
  const SyntheticDataset data({.size = 2000, .shape = {4, 4}, .classes = 2});
  std::vector<std::uint64_t> all(2000);
  std::iota(all.begin(), all.end(), 0);
  const torch::Tensor images = data.get_batch(all, {})[0].view({1000, 2, 16});
  EXPECT_LT(images.abs().max().item<double>(), 2);
  const torch::Tensor patterns = images.mean(0);
  EXPECT_GT((patterns[0] - patterns[1]).norm().item<double>(), 1);  // 3.3 expected
  EXPECT_NEAR((images - patterns).std().item<double>(), 0.577, 0.02);
}

TEST(SyntheticDataset, RefusesWhatCannotBe) {
  expect_error([] { SyntheticDataset({.classes = 0}); }, ErrorCode::kInvalidArgument,
               "there cannot be 0 classes");
  expect_error(
      [] {
        SyntheticDataset({.shape = {2, -1}});
      },
      ErrorCode::kInvalidArgument, "there are no tensors of [2, -1]");
  const SyntheticDataset data({.size = 5});
  expect_error([&] { sample_of(data, 5); }, ErrorCode::kInvalidArgument, "there is no sample 5 of 5");
}

TEST(Subset, IsAPartInItsOrder) {
  const auto part = subset(counting(10), 3, 7);
  EXPECT_THAT(numbers_in(*part), testing::ElementsAre(3, 4, 5, 6));
  expect_honours_contract(*part, {3, 0});
  EXPECT_EQ(subset(counting(10), 10, 10)->size(), 0);
  expect_error([&] { sample_of(*part, 4); }, ErrorCode::kInvalidArgument, "there is no sample 4 of 4");
  expect_error([] { subset(counting(10), 3, 11); }, ErrorCode::kInvalidArgument,
               "a data set of 10 samples has no part from 3 to 11");
  expect_error([] { subset(counting(10), 4, 3); }, ErrorCode::kInvalidArgument,
               "a data set of 10 samples has no part from 4 to 3");
}

TEST(Split, DealsEachSampleToOneOfTwoSetsAtRandom) {
  for (const double fraction : {0.0, 0.004, 0.9, 1.0}) {
    const auto [first, second] = split(counting(101), fraction);
    EXPECT_EQ(first->size(), std::llround(101 * fraction));
    std::vector<std::int64_t> numbers = numbers_in(*first);
    for (const std::int64_t number : numbers_in(*second)) {
      numbers.push_back(number);
    }
    EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), 101);
    EXPECT_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
  }
  const auto numbers = [](std::uint64_t seed) { return numbers_in(*split(counting(101), 0.5, seed).first); };
  EXPECT_EQ(numbers(1), numbers(1));
  EXPECT_NE(numbers(1), numbers(2));
  expect_honours_contract(*split(counting(101), 0.5).second, {49, 0, 7});
}

TEST(Split, RefusesWhatIsNoFraction) {
  expect_error([] { split(counting(3), 1.5); }, ErrorCode::kInvalidArgument,
               "a data set cannot be split at 1.5 of it, only at 0 to 1");
  EXPECT_THROW(split(counting(3), -0.1), Error);
  EXPECT_THROW(split(counting(3), std::numeric_limits<double>::quiet_NaN()), Error);
}

TEST(Map, TransformsEachSampleWithItsOwnStream) {
  const auto drawing = std::make_shared<Made>(5, [](std::uint64_t, SampleRandom& random) {
    return Tensors{torch::tensor(random.uniform(), torch::kFloat64)};
  });
  const auto mapped = map(drawing, [](Tensors sample, SampleRandom& random) {
    sample.push_back(torch::tensor(random.uniform(), torch::kFloat64));
    return sample;
  });
  EXPECT_EQ(mapped->size(), 5);
  expect_honours_contract(*mapped, {4, 2});
  SampleRandom random({.seed = 7, .epoch = 1, .index = 4});
  const double first = random.uniform();
  const double second = random.uniform();
  expect_same(sample_of(*mapped, 4, {.seed = 7, .epoch = 1}),
              {torch::tensor(first, torch::kFloat64), torch::tensor(second, torch::kFloat64)});
}

TEST(Map, LetsATransformWriteToItsInput) {
  const auto data = counting(5);
  const auto doubled = map(data, [](Tensors sample, SampleRandom&) {
    sample[0].mul_(2);
    return sample;
  });
  EXPECT_THAT(numbers_in(*doubled), testing::ElementsAre(0, 2, 4, 6, 8));
  EXPECT_THAT(numbers_in(*data), testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST(Map, NeedsATransform) {
  expect_error([] { map(counting(1), nullptr); }, ErrorCode::kInvalidArgument,
               "a data set cannot be mapped with no transform");
}

}  // namespace
}  // namespace lockstep
