#include <torch/types.h>

#include <algorithm>
#include <span>
#include <utility>

#include "dataset/sample_error.h"
#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// Used as the epoch: patterns and noise come from unrelated streams.
constexpr std::uint64_t kNoise = 0;
constexpr std::uint64_t kPattern = 1;

// Adds numbers in [-1, 1), multiples of 2^-15, so that sums of two are exact.
void add_random(const SampleKey& key, std::span<float> values) {
  SampleRandom random(key);
  while (!values.empty()) {
    std::uint64_t bits = random.bits();
    const std::size_t count = std::min<std::size_t>(values.size(), 4);
    for (float& value : values.first(count)) {
      value += static_cast<float>(bits & 0xFFFF) / 32768.0F - 1.0F;
      bits >>= 16;
    }
    values = values.subspan(count);
  }
}

}  // namespace

SyntheticDataset::SyntheticDataset(SyntheticOptions options) : options_(std::move(options)) {
  if (options_.classes < 1) {
    throw Error(ErrorCode::kInvalidArgument, c10::str("there cannot be ", options_.classes, " classes"));
  }
  if (std::any_of(options_.shape.begin(), options_.shape.end(),
                  [](std::int64_t length) { return length < 0; })) {
    throw Error(ErrorCode::kInvalidArgument,
                c10::str("there are no tensors of ", at::IntArrayRef(options_.shape)));
  }
}

Tensors SyntheticDataset::get(std::uint64_t index, SampleRandom& /*random*/) const {
  require_sample(index, options_.size);
  const std::uint64_t label = index % static_cast<std::uint64_t>(options_.classes);
  torch::Tensor image = torch::zeros(options_.shape, torch::kFloat32);
  const std::span<float> values(image.data_ptr<float>(), static_cast<std::size_t>(image.numel()));
  add_random({.seed = options_.seed, .epoch = kPattern, .index = label}, values);
  add_random({.seed = options_.seed, .epoch = kNoise, .index = index}, values);
  return {image, torch::scalar_tensor(static_cast<std::int64_t>(label), torch::kInt64)};
}

}  // namespace lockstep
