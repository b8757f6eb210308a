#include "lockstep/dataset.h"

#include <torch/types.h>

#include <string>

#include "dataset/sample_error.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

std::string form_text(const torch::Tensor& tensor) {
  return c10::str(tensor.sizes(), " ", c10::toString(tensor.scalar_type()));
}

// Stacking would silently convert numbers to another type.
void require_alike(const Tensors& first, const Tensors& sample) {
  if (sample.size() != first.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                c10::str("it has ", sample.size(), " tensors, the first one of its batch ", first.size()));
  }
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (!sample[i].defined()) {
      throw Error(ErrorCode::kInvalidArgument, c10::str("its tensor ", i, " is undefined"));
    }
    if (sample[i].sizes() != first[i].sizes() || sample[i].scalar_type() != first[i].scalar_type()) {
      throw Error(ErrorCode::kInvalidArgument,
                  c10::str("its tensor ", i, " is ", form_text(sample[i]),
                           ", that of the first one of its batch ", form_text(first[i])));
    }
  }
}

}  // namespace

Tensors Dataset::get_batch(std::span<const std::uint64_t> indices, const BatchKey& key) const {
  std::vector<Tensors> columns;  // each holds the tensors that are stacked into one
  Tensors first;
  for (const std::uint64_t index : indices) {
    try {
      SampleRandom random({.seed = key.seed, .epoch = key.epoch, .index = index});
      Tensors sample = get(index, random);
      if (columns.empty()) {
        first = sample;
        columns.resize(sample.size());
      }
      require_alike(first, sample);
      for (std::size_t i = 0; i < sample.size(); ++i) {
        columns[i].push_back(std::move(sample[i]));
      }
    } catch (...) {
      throw sample_error(index, std::current_exception());
    }
  }
  Tensors batch;
  for (const Tensors& column : columns) {
    batch.push_back(torch::stack(column));
  }
  return batch;
}

}  // namespace lockstep
