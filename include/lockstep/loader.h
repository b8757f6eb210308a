#pragma once

// Prefetches batches of tensors: draws from a sampler, loads in threads, and returns batches in the sampler's order.
//
//   Sampler sampler(data->size(), {.rank = world.rank(), .ranks = world.size()}, {.batch_size = 256});
//   Loader loader(data, sampler);
//   while (training) {
//     const Batch batch = loader.next();
//     train(batch.input(), batch.target());
//     sampler.trained(batch.samples);          // a batch counts when it was trained, not when it was loaded
//   }
//
// For exactly one epoch, without loading beyond it:
//
//   Loader loader(data, sampler, {}, sampler.batches_left());
//
// The number of threads changes no bit of any batch. The sampler is only used inside next(): drawing is so cheap that
// it needs no thread of its own.

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
  int prefetch = 4;  // batches ahead of the one in use; ignored without threads

  void describe(config::Description& d);
};

// This rank's part of a batch.
struct Batch {
  Tensors tensors = {};  // empty when the rank has no samples, as with LastBatch::kUneven
  SampleBatch samples = {};

  // The first and the second tensor. Throw Error{kInvalidArgument} when it does not exist.
  const torch::Tensor& input() const;
  const torch::Tensor& target() const;
  // The number of samples.
  std::int64_t size() const { return static_cast<std::int64_t>(samples.indices.size()); }
};

class Loader {
 public:
  // Returns `batches` batches, or any number when unset. The sampler must outlive the loader, and nothing else may draw
  // from it. Nothing is drawn before the first next(), so the sampler may be restored until then. Throws
  // Error{kInvalidArgument} when there is no data set, its size differs from the sampler's, or the options are invalid.
  Loader(std::shared_ptr<const Dataset> data, Sampler& sampler, LoaderOptions options = {},
         std::optional<std::uint64_t> batches = {});
  // Waits for the batches that are being loaded.
  ~Loader();
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;

  // Waits for the next batch and returns it; one thread at a time. Throws what the sampler throws; Error with the
  // sample's index when a sample could not be loaded, and again on every later call; Error{kInvalidArgument} after the
  // last of `batches`.
  Batch next();

  // The total time spent in next().
  std::chrono::nanoseconds waited() const;

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace lockstep
