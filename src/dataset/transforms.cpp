#include "lockstep/transforms.h"

#include <torch/types.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lockstep/error.h"

namespace lockstep {
namespace {

Error misuse(const std::string& text) {
  return {ErrorCode::kInvalidArgument, text};
}

// The sample with its input changed by `change`.
template <class Change>
Tensors with_input(const char* name, Tensors sample, const Change& change) {
  if (sample.empty()) {
    throw misuse(c10::str(name, " needs an input, and the sample has no tensor"));
  }
  sample[0] = change(sample[0]);
  return sample;
}

void require_image(const char* name, const torch::Tensor& input) {
  if (input.dim() < 2) {
    throw misuse(c10::str(name, " takes images, of a height and a width, not ", input.sizes()));
  }
}

// Along the first dimension of an input, or everywhere.
torch::Tensor along_channels(const torch::Tensor& numbers, const torch::Tensor& input) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(input.dim()), 1);
  if (numbers.size(0) > 1) {
    if (input.dim() == 0 || input.size(0) != numbers.size(0)) {
      throw misuse(
          c10::str("normalize has numbers for ", numbers.size(0), " channels, the input is ", input.sizes()));
    }
    shape[0] = numbers.size(0);
  }
  return numbers.to(input.scalar_type()).view(shape);
}

torch::Tensor random_piece(const torch::Tensor& padded, const ImageSize& size, SampleRandom& random) {
  const std::int64_t spare_rows = padded.size(-2) - size.height;
  const std::int64_t spare_columns = padded.size(-1) - size.width;
  if (spare_rows < 0 || spare_columns < 0) {
    throw misuse(c10::str("random_crop finds no piece of ", size.height, " by ", size.width, " in one of ",
                          padded.size(-2), " by ", padded.size(-1)));
  }
  const std::int64_t top = random.between(0, spare_rows);
  const std::int64_t left = random.between(0, spare_columns);
  return padded.narrow(-2, top, size.height).narrow(-1, left, size.width).contiguous();
}

}  // namespace

Transform compose(std::vector<Transform> transforms) {
  if (!std::all_of(transforms.begin(), transforms.end(), [](const Transform& step) { return bool(step); })) {
    throw misuse("one of the transforms to compose is none");
  }
  return [transforms = std::move(transforms)](Tensors sample, SampleRandom& random) {
    for (const Transform& transform : transforms) {
      sample = transform(std::move(sample), random);
    }
    return sample;
  };
}

Transform normalize(const std::vector<double>& mean, const std::vector<double>& deviation) {
  if (mean.empty() || mean.size() != deviation.size()) {
    throw misuse(c10::str("normalize needs as many deviations as means, not ", deviation.size(), " and ",
                          mean.size()));
  }
  if (!std::all_of(deviation.begin(), deviation.end(), [](double value) { return value > 0; })) {
    throw misuse("normalize needs deviations above 0");
  }
  return [means = torch::tensor(mean, torch::kFloat64),
          deviations = torch::tensor(deviation, torch::kFloat64)](Tensors sample, SampleRandom&) {
    return with_input("normalize", std::move(sample), [&](const torch::Tensor& input) {
      if (!input.is_floating_point()) {
        throw misuse(
            c10::str("normalize takes floating-point inputs, not ", c10::toString(input.scalar_type())));
      }
      return (input - along_channels(means, input)).div_(along_channels(deviations, input));
    });
  };
}

Transform random_crop(std::int64_t padding, std::optional<ImageSize> size) {
  if (padding < 0 || (size && (size->height < 1 || size->width < 1))) {
    throw misuse(c10::str("random_crop cannot take pieces of ", size ? size->height : 1, " by ",
                          size ? size->width : 1, " with a padding of ", padding));
  }
  return [padding, size](Tensors sample, SampleRandom& random) {
    return with_input("random_crop", std::move(sample), [&](const torch::Tensor& input) {
      require_image("random_crop", input);
      const torch::Tensor padded = torch::constant_pad_nd(input, {padding, padding, padding, padding});
      return random_piece(padded, size.value_or(ImageSize{input.size(-2), input.size(-1)}), random);
    });
  };
}

Transform random_horizontal_flip(double probability) {
  if (!(probability >= 0 && probability <= 1)) {
    throw misuse(c10::str(probability, " is not a probability"));
  }
  return [probability](Tensors sample, SampleRandom& random) {
    return with_input("random_horizontal_flip", std::move(sample), [&](const torch::Tensor& input) {
      require_image("random_horizontal_flip", input);
      return random.uniform() < probability ? input.flip(-1) : input;
    });
  };
}

}  // namespace lockstep
