#pragma once

// What is done to a sample on its way from a data set to a batch.
//
//   const auto train = map(images, compose({random_crop(2), random_horizontal_flip(), normalize({0.13}, {0.31})}));
//
// Those below change the input, the sample's first tensor, and draw from the sample's own random stream: the same
// sample comes out differently in another epoch, and alike whatever the threads and ranks. An input that they cannot
// take is Error{kInvalidArgument} from the sample that has it. Images are [..., height, width].

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lockstep/dataset.h"

namespace lockstep {

// May change the tensors that it is given. Called by several threads at once.
using Transform = std::function<Tensors(Tensors, SampleRandom&)>;

// One after the other.
Transform compose(std::vector<Transform> transforms);

// (input - mean) / deviation, for each channel, which is the first dimension, or with one number for all. The input
// has to be floating-point. Throws Error{kInvalidArgument} when the two are not equally many, or a deviation is not
// above 0.
Transform normalize(const std::vector<double>& mean, const std::vector<double>& deviation);

struct ImageSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

// A piece of that size, or of the image's own, from anywhere in the image after `padding` rows and columns of zeros
// were put around it. So random_crop(2) moves an image by up to two pixels. Throws Error{kInvalidArgument} for sizes
// that are not above 0, and padding below it.
Transform random_crop(std::int64_t padding, std::optional<ImageSize> size = {});

// Left and right change places with that probability. Throws Error{kInvalidArgument} when it is none.
Transform random_horizontal_flip(double probability = 0.5);

}  // namespace lockstep
