#include <torch/types.h>

#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

TokenSampleOptions samples_of(std::int64_t context) {
  if (context < 1) {
    throw Error(ErrorCode::kInvalidArgument, c10::str("a context of ", context, " tokens holds no text"));
  }
  const auto tokens = static_cast<std::uint64_t>(context);
  return {.length = tokens + 1, .stride = tokens};
}

// Each has its own memory: writing to one must not change the other.
Tensors input_and_target(const torch::Tensor& tokens) {
  const std::int64_t context = tokens.size(-1) - 1;
  return {tokens.narrow(-1, 0, context).clone(at::MemoryFormat::Contiguous),
          tokens.narrow(-1, 1, context).clone(at::MemoryFormat::Contiguous)};
}

}  // namespace

TokenDataset::TokenDataset(const std::vector<std::filesystem::path>& shards, std::int64_t context)
    : context_(context), data_(shards, samples_of(context)) {}

Tensors TokenDataset::get(std::uint64_t index, SampleRandom& /*random*/) const {
  const torch::Tensor tokens = torch::empty(context_ + 1, torch::kInt64);
  data_.read(index, {tokens.data_ptr<std::int64_t>(), static_cast<std::size_t>(tokens.numel())});
  return input_and_target(tokens);
}

Tensors TokenDataset::get_batch(std::span<const std::uint64_t> indices, const BatchKey& /*key*/) const {
  if (indices.empty()) {
    return {};
  }
  const torch::Tensor rows =
      torch::empty({static_cast<std::int64_t>(indices.size()), context_ + 1}, torch::kInt64);
  const auto length = static_cast<std::size_t>(context_ + 1);
  auto* row = rows.data_ptr<std::int64_t>();
  for (const std::uint64_t index : indices) {
    data_.read(index, {row, length});
    row += length;
  }
  return input_and_target(rows);
}

}  // namespace lockstep
