#include "lockstep/transforms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>
#include <map>
#include <string>
#include <utility>

#include "data/data_bytes.h"
#include "dataset/tensor_matchers.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

torch::Tensor input_after(const Transform& transform, const torch::Tensor& input, std::uint64_t index = 0) {
  SampleRandom random({.index = index});
  const Tensors sample = transform({input, torch::tensor(5)}, random);
  EXPECT_EQ(sample.size(), 2);
  expect_same(sample[1], torch::tensor(5));  // the target is nobody's business
  return sample[0];
}

void expect_refusal(const std::function<void()>& action, const std::string& message) {
  expect_error(action, ErrorCode::kInvalidArgument, message);
}

TEST(Normalize, WorksOnEachChannelOrOnAll) {
  const torch::Tensor image = torch::arange(8, torch::kFloat32).view({2, 2, 2});
  expect_same(input_after(normalize({1, 2}, {2, 4}), image),
              torch::stack({(image[0] - 1) / 2, (image[1] - 2) / 4}));
  expect_same(input_after(normalize({1}, {2}), image), (image - 1) / 2);
  expect_same(input_after(normalize({1}, {2}), torch::tensor(5.0F)), torch::tensor(2.0F));
  expect_same(input_after(normalize({1}, {2}), image.to(torch::kFloat64)),
              (image.to(torch::kFloat64) - 1) / 2);
}

TEST(Normalize, RefusesNumbersThatDoNotFit) {
  expect_refusal([] { normalize({1, 2}, {1}); }, "normalize needs as many deviations as means, not 1 and 2");
  expect_refusal([] { normalize({}, {}); }, "normalize needs as many deviations as means, not 0 and 0");
  expect_refusal([] { normalize({1, 1}, {1, 0}); }, "normalize needs deviations above 0");
  expect_refusal([] { normalize({1}, {std::numeric_limits<double>::quiet_NaN()}); },
                 "normalize needs deviations above 0");
  expect_refusal(
      [] {
        input_after(normalize({1, 2}, {1, 1}), torch::zeros({3, 2, 2}));
      },
      "normalize has numbers for 2 channels, the input is [3, 2, 2]");
  expect_refusal([] { input_after(normalize({1}, {1}), torch::zeros({3}, torch::kUInt8)); },
                 "normalize takes floating-point inputs, not Byte");
}

TEST(RandomCrop, MovesAnImageByUpToItsPadding) {
  const torch::Tensor image = torch::zeros({1, 5, 5});
  image[0][2][2] = 1;
  std::map<std::pair<std::int64_t, std::int64_t>, int> places;
  for (std::uint64_t index = 0; index < 900; ++index) {
    const torch::Tensor moved = input_after(random_crop(1), image, index);
    ASSERT_EQ(moved.sizes(), image.sizes());
    EXPECT_TRUE(moved.is_contiguous());
    const torch::Tensor place = moved[0].nonzero();
    ASSERT_EQ(place.size(0), 1);
    ++places[{place[0][0].item<std::int64_t>(), place[0][1].item<std::int64_t>()}];
  }
  EXPECT_EQ(places.size(), 9);  // rows and columns 1 to 3
  for (const auto& [place, count] : places) {
    EXPECT_THAT(place.first, testing::AllOf(testing::Ge(1), testing::Le(3)));
    EXPECT_THAT(place.second, testing::AllOf(testing::Ge(1), testing::Le(3)));
    EXPECT_NEAR(count, 100, 40);
  }
}

TEST(RandomCrop, TakesPiecesOfAnotherSize) {
  const torch::Tensor image = torch::arange(12).view({3, 4});
  for (std::uint64_t index = 0; index < 20; ++index) {
    const torch::Tensor piece = input_after(random_crop(0, ImageSize{.height = 2, .width = 3}), image, index);
    ASSERT_EQ(piece.sizes(), (torch::IntArrayRef{2, 3}));
    const auto corner = piece[0][0].item<std::int64_t>();
    expect_same(piece, image.narrow(0, corner / 4, 2).narrow(1, corner % 4, 3));
  }
  expect_same(input_after(random_crop(0), image), image);
}

TEST(RandomCrop, RefusesSizesThatDoNotFit) {
  expect_refusal([] { random_crop(-1); }, "random_crop cannot take pieces of 1 by 1 with a padding of -1");
  expect_refusal([] { random_crop(0, ImageSize{.height = 0, .width = 2}); },
                 "random_crop cannot take pieces of 0 by 2 with a padding of 0");
  expect_refusal(
      [] {
        input_after(random_crop(1, ImageSize{.height = 5, .width = 7}), torch::zeros({3, 4}));
      },
      "random_crop finds no piece of 5 by 7 in one of 5 by 6");
  expect_refusal([] { input_after(random_crop(1), torch::zeros({3})); },
                 "random_crop takes images, of a height and a width, not [3]");
}

TEST(RandomHorizontalFlip, TurnsAsOftenAsItShould) {
  const torch::Tensor image = torch::arange(12).view({2, 2, 3});
  for (const auto& [probability, expected] : {std::pair{0.0, 0}, {0.25, 250}, {1.0, 1000}}) {
    int flips = 0;
    for (std::uint64_t index = 0; index < 1000; ++index) {
      const torch::Tensor turned = input_after(random_horizontal_flip(probability), image, index);
      const bool flipped = !torch::equal(turned, image);
      expect_same(turned, flipped ? image.flip(2) : image);
      flips += flipped ? 1 : 0;
    }
    EXPECT_NEAR(flips, expected, expected == 250 ? 60 : 0);
  }
}

TEST(RandomHorizontalFlip, RefusesWhatIsNoProbability) {
  expect_refusal([] { random_horizontal_flip(1.5); }, "1.5 is not a probability");
  EXPECT_THROW(random_horizontal_flip(std::numeric_limits<double>::quiet_NaN()), Error);
  expect_refusal([] { input_after(random_horizontal_flip(), torch::zeros({3})); },
                 "random_horizontal_flip takes images, of a height and a width, not [3]");
}

TEST(Transforms, NeedAnInput) {
  SampleRandom random({});
  expect_refusal([&] { random_crop(1)({}, random); },
                 "random_crop needs an input, and the sample has no tensor");
}

TEST(Compose, DoesOneAfterTheOther) {
  const torch::Tensor image = torch::arange(9, torch::kFloat32).view({1, 3, 3});
  const Transform both = compose({normalize({1}, {2}), random_horizontal_flip(1)});
  expect_same(input_after(both, image), ((image - 1) / 2).flip(2));
  expect_same(input_after(compose({}), image), image);
  expect_refusal([] { compose({random_crop(1), nullptr}); }, "one of the transforms to compose is none");
}

TEST(Compose, LetsEachDrawWhatComesNext) {
  const Transform draw = [](Tensors sample, SampleRandom& random) {
    sample.push_back(torch::tensor(random.uniform(), torch::kFloat64));
    return sample;
  };
  SampleRandom random({.index = 3});
  SampleRandom twin({.index = 3});
  const Tensors drawn = compose({draw, draw})({}, random);
  expect_same(drawn[0], torch::tensor(twin.uniform(), torch::kFloat64));
  expect_same(drawn[1], torch::tensor(twin.uniform(), torch::kFloat64));
}

}  // namespace
}  // namespace lockstep
