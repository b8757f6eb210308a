#include <torch/types.h>

#include <utility>

#include "dataset/index_tensor.h"
#include "dataset/sample_error.h"
#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {

TensorDataset::TensorDataset(Tensors tensors) : tensors_(std::move(tensors)) {
  if (tensors_.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "a data set needs at least one tensor");
  }
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!tensors_[i].defined() || tensors_[i].dim() == 0) {
      throw Error(ErrorCode::kInvalidArgument,
                  c10::str("tensor ", i, " has no dimension that counts samples"));
    }
    if (tensors_[i].size(0) != tensors_[0].size(0)) {
      throw Error(ErrorCode::kInvalidArgument,
                  c10::str("tensor 0 has ", tensors_[0].size(0), " samples, tensor ", i, " has ",
                           tensors_[i].size(0)));
    }
    tensors_[i] = tensors_[i].detach();
  }
}

std::uint64_t TensorDataset::size() const {
  return static_cast<std::uint64_t>(tensors_[0].size(0));
}

// Copies, since the caller may write to the sample.
Tensors TensorDataset::get(std::uint64_t index, SampleRandom& /*random*/) const {
  require_sample(index, size());
  Tensors sample;
  for (const torch::Tensor& tensor : tensors_) {
    sample.push_back(tensor.select(0, static_cast<std::int64_t>(index)).clone(at::MemoryFormat::Contiguous));
  }
  return sample;
}

Tensors TensorDataset::get_batch(std::span<const std::uint64_t> indices, const BatchKey& /*key*/) const {
  if (indices.empty()) {
    return {};
  }
  const torch::Tensor rows = index_tensor(indices, size());
  Tensors batch;
  for (const torch::Tensor& tensor : tensors_) {
    batch.push_back(tensor.index_select(0, rows));
  }
  return batch;
}

}  // namespace lockstep
