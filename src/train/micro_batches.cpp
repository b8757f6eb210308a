#include "train/micro_batches.h"

#include <algorithm>

namespace lockstep::train {

std::vector<Batch> cut(const Batch& batch, std::uint64_t micro_batch) {
  const auto size = static_cast<std::uint64_t>(batch.size());
  if (size <= micro_batch) {
    return size == 0 ? std::vector<Batch>{} : std::vector<Batch>{batch};
  }
  std::vector<Batch> pieces;
  for (std::uint64_t begin = 0; begin < size; begin += micro_batch) {
    const std::uint64_t end = std::min(begin + micro_batch, size);
    Batch piece{.tensors = {}, .samples = batch.samples};
    const auto& indices = batch.samples.indices;
    piece.samples.indices.assign(indices.begin() + static_cast<std::ptrdiff_t>(begin),
                                 indices.begin() + static_cast<std::ptrdiff_t>(end));
    for (const torch::Tensor& tensor : batch.tensors) {
      piece.tensors.push_back(
          tensor.narrow(0, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end - begin)));
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace lockstep::train
