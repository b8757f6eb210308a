#pragma once

// Which samples of a data set this rank takes in each step.
//
//   Sampler sampler(data.size(), {.rank = world.rank(), .ranks = world.size()}, {.batch_size = 256});
//   while (training) {
//     const SampleBatch batch = sampler.draw();    // may run ahead of the training
//     train(batch.indices);
//     sampler.trained(batch);                      // now it counts
//     if (batch.last_in_epoch) { save(sampler.state()); }
//   }
//
// The order of an epoch is a function of (seed, epoch, size of the data set) and of nothing else: it is cut into
// batches for all ranks together, and a batch is dealt like cards, its sample i to rank i mod ranks. So a batch holds
// the same samples however many ranks there are, epochs follow each other without being told, and a run goes on from
// state() on another number of ranks with no sample lost or repeated. docs/data.md has the algorithm.
//
// Nothing here communicates: every rank computes the same batches, and each has equally many. draw() may be called
// in one thread while another calls trained() and state(); each of the two by one thread at a time.

#include <cstdint>
#include <string_view>
#include <vector>

#include "lockstep/config_description.h"

namespace lockstep {

// What becomes of the samples at the end of an epoch that do not fill a batch.
enum class LastBatch {
  kDrop,    // not used in this epoch
  kPad,     // with samples from the start of the epoch, until all ranks have equally many
  kUneven,  // used as they are: some ranks have one sample less, or none
};

std::string_view to_string(LastBatch last_batch);  // "drop", "pad", "uneven"

struct SamplerOptions {
  std::uint64_t batch_size = 32;  // of all ranks together
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;
  std::uint64_t seed = 0;

  void describe(config::Description& d);
};

// Which part of a batch belongs to the caller.
struct RankShare {
  int rank = 0;
  int ranks = 1;
};

// How far all ranks together have come.
struct SamplerPosition {
  std::uint64_t epoch = 0;     // from 0 on
  std::uint64_t consumed = 0;  // samples of that epoch

  friend bool operator==(const SamplerPosition&, const SamplerPosition&) = default;
};

// What a checkpoint keeps. The same on all ranks.
struct SamplerState {
  std::uint64_t seed = 0;
  SamplerPosition position = {};
  std::uint64_t size = 0;  // of the data set; another size is another order

  friend bool operator==(const SamplerState&, const SamplerState&) = default;
};

// What one rank takes in one step.
struct SampleBatch {
  std::vector<std::uint64_t> indices = {};  // into the data set; may be empty with LastBatch::kUneven
  std::uint64_t padding = 0;                // how many at their end were used in this epoch before
  std::uint64_t samples_of_all_ranks = 0;   // without padding
  SamplerPosition begin = {};
  SamplerPosition end = {};  // where the next batch begins
  bool last_in_epoch = false;
};

class Sampler {
 public:
  // Throws Error{kInvalidArgument} when size or share are impossible, or the batch size is zero or, unless the last
  // batch may be uneven, no multiple of the number of ranks.
  Sampler(std::uint64_t size, RankShare share, SamplerOptions options = {});

  std::uint64_t size() const { return size_; }
  const SamplerOptions& options() const { return options_; }

  // The next batch. Throws Error{kInvalidArgument} when an epoch has none: the data set is empty, or smaller than a
  // batch that must be full.
  SampleBatch draw();
  // How many batches draw() will still give from its epoch, in a whole one when none of it was drawn.
  std::uint64_t batches_left() const;

  // `batch` was trained. Throws Error{kInvalidArgument} when it is not the oldest that was drawn and not yet trained:
  // batches come back in their order, and none is left out.
  void trained(const SampleBatch& batch);
  // What was trained, whatever was drawn.
  SamplerState state() const;
  // Goes on from there, with the seed that it holds; what was drawn before is void. Throws Error{kMismatch} when it
  // belongs to a data set of another size.
  void restore(const SamplerState& state);

 private:
  SamplerPosition normalized(SamplerPosition position) const;
  SampleBatch batch_at(SamplerPosition position) const;

  std::uint64_t size_;
  RankShare share_;
  SamplerOptions options_;
  SamplerPosition drawn_;    // where draw() goes on
  SamplerPosition trained_;  // where a restored run would
};

}  // namespace lockstep
