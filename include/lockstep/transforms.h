#pragma once

// Transforms of a sample on its way from a data set to a batch.
//
//   const auto train = map(images, compose({random_crop(2), random_horizontal_flip(), normalize({0.13}, {0.31})}));
//
// The transforms below change the input, the sample's first tensor, and draw from the sample's own random stream: a
// sample comes out differently in another epoch, but the same for any number of threads and ranks. An input of an
// unsupported type or shape is Error{kInvalidArgument}, reported with its sample. Images are [..., height, width].

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lockstep/dataset.h"

namespace lockstep {

// May modify the tensors it is given. Called by several threads at once.
using Transform = std::function<Tensors(Tensors, SampleRandom&)>;

// Applies the transforms in order.
Transform compose(std::vector<Transform> transforms);

// (input - mean) / deviation, per channel (the first dimension), or with one number for all. The input must be
// floating-point. Throws Error{kInvalidArgument} when the lists differ in length or a deviation is not positive.
Transform normalize(const std::vector<double>& mean, const std::vector<double>& deviation);

struct ImageSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

// A random crop of that size, or of the image's own, after padding the image with `padding` rows and columns of zeros
// on each side. So random_crop(2) shifts an image by up to two pixels. Throws Error{kInvalidArgument} for sizes that
// are not positive, and for negative padding.
Transform random_crop(std::int64_t padding, std::optional<ImageSize> size = {});

// Flips left and right with this probability. Throws Error{kInvalidArgument} when it is not a probability.
Transform random_horizontal_flip(double probability = 0.5);

}  // namespace lockstep
