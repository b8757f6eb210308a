#pragma once

// What a model is trained with: samples that have numbers, each of them a few tensors. A data set of one's own is one
// small class:
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
// lockstep/datasets.h has those for tensors and files, lockstep/loader.h reads them ahead in threads.

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/sample_random.h"

namespace lockstep {

// Those of one sample, or of a batch of them, stacked; most often {input, target}.
using Tensors = std::vector<torch::Tensor>;

// With the index of a sample it is the SampleKey of the sample's random numbers.
struct BatchKey {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
};

// Any number of threads may read it at once. In those of a loader there are no gradients, and each operation of libtorch
// stays in the thread that calls it.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual std::uint64_t size() const = 0;

  // Sample `index`. What is random about it comes from `random`, its own stream, and from nowhere else: then neither
  // threads nor ranks change a run. The tensors belong to the caller, who may write to them. Any exception will do;
  // the loader adds the index.
  virtual Tensors get(std::uint64_t index, SampleRandom& random) const = 0;

  // Several samples as one, stacked along a new first dimension; nothing for none. Override it when the set can do
  // better than one after the other; it must come to the same. Throws Error with the index of the sample that could
  // not be had, or that has other tensors than the ones before it.
  virtual Tensors get_batch(std::span<const std::uint64_t> indices, const BatchKey& key) const;

 protected:
  Dataset() = default;
  Dataset(const Dataset&) = default;
  Dataset& operator=(const Dataset&) = default;
};

}  // namespace lockstep
