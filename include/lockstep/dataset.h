#pragma once

// The samples a model is trained on: numbered, each a few tensors. A custom data set is one small class:
//
//   class Sines final : public lockstep::Dataset {
//    public:
//     std::uint64_t size() const override { return 1000; }
//     lockstep::Tensors get(std::uint64_t index, lockstep::SampleRandom& random) const override {
//       const torch::Tensor x = torch::full({1}, 0.01 * static_cast<double>(index) + 0.001 * random.normal());
//       return {x, torch::sin(x)};
//     }
//   };
//
// lockstep/datasets.h has data sets for tensors and files; lockstep/loader.h prefetches batches in threads.

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/sample_random.h"

namespace lockstep {

// The tensors of one sample, or of a batch of stacked samples; usually {input, target}.
using Tensors = std::vector<torch::Tensor>;

// Together with a sample's index, the SampleKey of its random numbers.
struct BatchKey {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
};

// Any number of threads may read at once. In a loader's threads gradients are disabled, and every libtorch operation
// runs in the calling thread only.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual std::uint64_t size() const = 0;

  // Sample `index`. Take all randomness from `random`, the sample's own stream; then the run does not depend on threads
  // or ranks. The tensors belong to the caller, which may write to them. Any exception type is fine; the loader adds
  // the index.
  virtual Tensors get(std::uint64_t index, SampleRandom& random) const = 0;

  // Several samples, stacked along a new first dimension; empty for no samples. Override it when the data set can load
  // a batch faster than one sample at a time; the result must be the same. Throws Error with the index of the sample
  // that could not be loaded or whose tensors differ from those before it.
  virtual Tensors get_batch(std::span<const std::uint64_t> indices, const BatchKey& key) const;

 protected:
  Dataset() = default;
  Dataset(const Dataset&) = default;
  Dataset& operator=(const Dataset&) = default;
};

}  // namespace lockstep
