#include "lockstep/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "data/batch_deal.h"
#include "data/permutation.h"
#include "lockstep/config.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// A size above this was a negative number.
constexpr std::uint64_t kLargestSize = std::uint64_t{1} << 62;

void require_possible(std::uint64_t size, const RankShare& share, const SamplerOptions& options) {
  if (size > kLargestSize) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("no data set has {} samples", size));
  }
  if (share.ranks < 1 || share.rank < 0 || share.rank >= share.ranks) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("there is no rank {} of {}", share.rank, share.ranks));
  }
  if (options.batch_size == 0) {
    throw Error(ErrorCode::kInvalidArgument, "the batch size must not be 0");
  }
  const std::uint64_t rest = options.batch_size % static_cast<std::uint64_t>(share.ranks);
  if (options.last_batch != LastBatch::kUneven && rest != 0) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("a batch of {} samples cannot be shared evenly by {} ranks: make it a multiple of "
                    "their number, or allow uneven batches",
                    options.batch_size, share.ranks));
  }
}

EpochPlan plan_of(std::uint64_t size, const RankShare& share, const SamplerOptions& options) {
  return {.size = size,
          .batch_size = options.batch_size,
          .last_batch = options.last_batch,
          .ranks = static_cast<std::uint64_t>(share.ranks)};
}

std::string text_of(const SamplerPosition& position) {
  return fmt::format("sample {} of epoch {}", position.consumed, position.epoch);
}

}  // namespace

std::string_view to_string(LastBatch last_batch) {
  switch (last_batch) {
    case LastBatch::kDrop:
      return "drop";
    case LastBatch::kPad:
      return "pad";
    case LastBatch::kUneven:
      return "uneven";
  }
  return "unknown";
}

void SamplerOptions::describe(config::Description& d) {
  d.option("batch-size", batch_size, "samples per step over all ranks")
      .unit("samples")
      .range(1, std::uint64_t{1} << 32);
  d.option("shuffle", shuffle, "take the samples in another order in each epoch");
  d.option("last-batch", last_batch,
           "the samples at the end of an epoch that fill no batch: drop them, pad them until all ranks have "
           "equally many, or let ranks have unevenly many")
      .choices({{to_string(LastBatch::kDrop), LastBatch::kDrop},
                {to_string(LastBatch::kPad), LastBatch::kPad},
                {to_string(LastBatch::kUneven), LastBatch::kUneven}});
  d.option("seed", seed, "what the order of samples is made from");
}

Sampler::Sampler(std::uint64_t size, RankShare share, SamplerOptions options)
    : size_(size), share_(share), options_(options) {
  require_possible(size_, share_, options_);
}

// An epoch without a batch left is over.
SamplerPosition Sampler::normalized(SamplerPosition position) const {
  if (plan_of(size_, share_, options_).batches_after(position.consumed) > 0) {
    return position;
  }
  return {.epoch = position.epoch + 1, .consumed = 0};
}

SampleBatch Sampler::batch_at(SamplerPosition position) const {
  const EpochPlan plan = plan_of(size_, share_, options_);
  const BatchSpan span = plan.batch_after(position.consumed);
  const std::uint64_t end = std::min(span.end, size_);
  const Permutation permutation(size_, options_.seed, position.epoch);
  SampleBatch batch{.samples_of_all_ranks = end - span.begin,
                    .begin = position,
                    .end = normalized({.epoch = position.epoch, .consumed = end}),
                    .last_in_epoch = plan.batches_after(end) == 0};
  const std::uint64_t count = dealt_count(span, share_);
  batch.indices.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at =
        span.begin + static_cast<std::uint64_t>(share_.rank) + i * static_cast<std::uint64_t>(share_.ranks);
    batch.padding += at >= size_ ? 1 : 0;
    batch.indices.push_back(options_.shuffle ? permutation.at(at % size_) : at % size_);
  }
  return batch;
}

SampleBatch Sampler::draw() {
  const SamplerPosition position = normalized(drawn_);
  if (plan_of(size_, share_, options_).batches_after(position.consumed) == 0) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a data set of {} samples has no batch of {}", size_, options_.batch_size));
  }
  SampleBatch batch = batch_at(position);
  drawn_ = batch.end;
  return batch;
}

std::uint64_t Sampler::batches_left() const {
  return plan_of(size_, share_, options_).batches_after(normalized(drawn_).consumed);
}

void Sampler::trained(const SampleBatch& batch) {
  const SamplerPosition expected = normalized(trained_);
  if (batch.begin != expected) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the batch from {} on was handed back, but the next one to be trained begins at {}",
                    text_of(batch.begin), text_of(expected)));
  }
  trained_ = batch.end;
}

SamplerState Sampler::state() const {
  return {.seed = options_.seed, .position = trained_, .size = size_};
}

void Sampler::restore(const SamplerState& state) {
  if (state.size != size_) {
    throw Error(
        ErrorCode::kMismatch,
        fmt::format("the state is that of a data set of {} samples, this one has {}: their orders have "
                    "nothing in common",
                    state.size, size_));
  }
  if (state.position.consumed > size_) {
    throw Error(ErrorCode::kCorrupt, fmt::format("the state says that {} of {} samples were consumed",
                                                 state.position.consumed, size_));
  }
  options_.seed = state.seed;
  drawn_ = state.position;
  trained_ = state.position;
}

}  // namespace lockstep
