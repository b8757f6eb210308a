#pragma once

// Batches of tensors, ready when they are needed: draws from a sampler, lets threads load ahead, and hands out in
// the sampler's order.
//
//   Sampler sampler(data->size(), {.rank = world.rank(), .ranks = world.size()}, {.batch_size = 256});
//   Loader loader(data, sampler);
//   while (training) {
//     const Batch batch = loader.next();
//     train(batch.input(), batch.target());
//     sampler.trained(batch.samples);          // a batch counts when it was trained, not when it was loaded
//   }
//
// For exactly one epoch, with nothing loaded beyond it:
//
//   Loader loader(data, sampler, {}, sampler.batches_left());
//
// The number of threads changes no bit of any batch. The sampler is only ever touched inside next(): drawing needs no
// thread of its own, and what it costs is nothing beside a step.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "lockstep/config_description.h"
#include "lockstep/dataset.h"
#include "lockstep/sampler.h"

namespace lockstep {

struct LoaderOptions {
  int threads = 2;   // 0: batches are loaded inside next()
  int prefetch = 4;  // batches ahead of the one in use; without threads none are

  void describe(config::Description& d);
};

// This rank's share of a batch of all ranks.
struct Batch {
  Tensors tensors = {};  // none when the share is empty, as with LastBatch::kUneven
  SampleBatch samples = {};

  // The first and the second tensor. Throw Error{kInvalidArgument} when there is none.
  const torch::Tensor& input() const;
  const torch::Tensor& target() const;
  // Samples in it.
  std::int64_t size() const { return static_cast<std::int64_t>(samples.indices.size()); }
};

class Loader {
 public:
  // Hands out `batches`, or any number. The sampler must outlive the loader and is drawn from by nobody else; it may
  // be restored until the first next(), before which nothing is drawn. Throws Error{kInvalidArgument} when there is no
  // data set, the sampler's is of another size, or the options are impossible.
  Loader(std::shared_ptr<const Dataset> data, Sampler& sampler, LoaderOptions options = {},
         std::optional<std::uint64_t> batches = {});
  // Waits for the batches that are just being loaded.
  ~Loader();
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;

  // The next batch, once it is loaded; by one thread at a time. Throws what the sampler throws; Error with the index
  // of the sample, when one could not be had, and then again at every call; Error{kInvalidArgument} when all `batches`
  // were handed out.
  Batch next();

  // The time spent in next() so far.
  std::chrono::nanoseconds waited() const;

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace lockstep
