#pragma once

// Chooses the samples of a data set that this rank trains on in each step.
//
//   Sampler sampler(data.size(), {.rank = world.rank(), .ranks = world.size()}, {.batch_size = 256});
//   while (training) {
//     const SampleBatch batch = sampler.draw();    // may run ahead of the training
//     train(batch.indices);
//     sampler.trained(batch);                      // now it counts
//     if (batch.last_in_epoch) { save(sampler.state()); }
//   }
//
// The order of an epoch is a function of (seed, epoch, size of the data set) only. It is cut into batches for all ranks
// together, and each batch is dealt out like cards: its sample i goes to rank i mod ranks. So a batch holds the same
// samples for any number of ranks, epochs advance automatically, and a run resumes from state() on another number of
// ranks with no sample lost or repeated. docs/data.md has the algorithm.
//
// Nothing here communicates: every rank computes the same batches and draws the same number of them. One thread may
// call draw() while another calls trained() and state().

#include <cstdint>
#include <string_view>
#include <vector>

#include "lockstep/config_description.h"

namespace lockstep {

// How to treat the samples at the end of an epoch that do not fill a batch.
enum class LastBatch {
  kDrop,    // skipped in this epoch
  kPad,     // padded with samples from the start of the epoch until all ranks have the same number
  kUneven,  // used as they are: some ranks have one sample fewer, or none
};

std::string_view to_string(LastBatch last_batch);  // "drop", "pad", "uneven"

struct SamplerOptions {
  std::uint64_t batch_size = 32;  // of all ranks together
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;
  std::uint64_t seed = 0;

  void describe(config::Description& d);
};

// Which part of a batch the caller gets.
struct RankShare {
  int rank = 0;
  int ranks = 1;
};

// The progress of all ranks together.
struct SamplerPosition {
  std::uint64_t epoch = 0;     // from 0
  std::uint64_t consumed = 0;  // samples of that epoch

  friend bool operator==(const SamplerPosition&, const SamplerPosition&) = default;
};

// Saved in checkpoints. The same on all ranks.
struct SamplerState {
  std::uint64_t seed = 0;
  SamplerPosition position = {};
  std::uint64_t size = 0;  // of the data set; another size means another order

  friend bool operator==(const SamplerState&, const SamplerState&) = default;
};

// The samples of one rank in one step.
struct SampleBatch {
  std::vector<std::uint64_t> indices = {};  // into the data set; may be empty with LastBatch::kUneven
  std::uint64_t padding = 0;                // how many of the last ones were already used in this epoch
  std::uint64_t samples_of_all_ranks = 0;   // without padding
  SamplerPosition begin = {};
  SamplerPosition end = {};  // where the next batch starts
  bool last_in_epoch = false;
};

class Sampler {
 public:
  // Throws Error{kInvalidArgument} when size or share are invalid, or the batch size is zero or, unless the last batch
  // may be uneven, not a multiple of the number of ranks.
  Sampler(std::uint64_t size, RankShare share, SamplerOptions options = {});

  std::uint64_t size() const { return size_; }
  const SamplerOptions& options() const { return options_; }

  // The next batch. Throws Error{kInvalidArgument} when an epoch has no batch: the data set is empty, or smaller than a
  // batch that must be full.
  SampleBatch draw();
  // How many batches draw() will still return from its epoch; a whole epoch's when none of it was drawn.
  std::uint64_t batches_left() const;

  // Records that `batch` was trained. Throws Error{kInvalidArgument} unless it is the oldest one drawn but not yet
  // trained: batches come back in order, and none is left out.
  void trained(const SampleBatch& batch);
  // The position after the last trained batch, regardless of what was drawn.
  SamplerState state() const;
  // Resumes from `state`, with its seed; batches drawn before are void. Throws Error{kMismatch} when it belongs to a
  // data set of another size.
  void restore(const SamplerState& state);

 private:
  SamplerPosition normalized(SamplerPosition position) const;
  SampleBatch batch_at(SamplerPosition position) const;

  std::uint64_t size_;
  RankShare share_;
  SamplerOptions options_;
  SamplerPosition drawn_;    // where draw() continues
  SamplerPosition trained_;  // where a restored run would continue
};

}  // namespace lockstep
