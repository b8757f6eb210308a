#include "snapshot/tensor_file.h"

#include <c10/util/StringUtil.h>
#include <torch/types.h>

#include <cstring>
#include <optional>
#include <utility>

#include "checkpoint/safetensors.h"
#include "lockstep/error.h"
#include "snapshot/element_type.h"

namespace lockstep::snapshot {
namespace {

using checkpoint::TensorType;
using checkpoint::TensorView;

TensorType type_of(const NamedTensor& item) {
  const std::optional<TensorType> type = file_type_of(item.tensor.scalar_type());
  if (!type) {
    throw Error(
        ErrorCode::kUnsupported,
        c10::str("cannot save ", item.name, ": a file of tensors has no type for ", item.tensor.dtype()));
  }
  return *type;
}

torch::Tensor tensor_of(const TensorView& view) {
  const std::vector<std::int64_t> shape(view.shape.begin(), view.shape.end());
  torch::Tensor tensor = torch::empty(shape, torch_type_of(view.type));
  if (!view.bytes.empty()) {
    std::memcpy(tensor.data_ptr(), view.bytes.data(), view.bytes.size());
  }
  return tensor;
}

}  // namespace

void write_tensors(checkpoint::ByteSink& sink, const NamedTensors& tensors) {
  std::vector<TensorView> views;
  std::vector<torch::Tensor> plain;  // the tensors that the views refer to
  for (const NamedTensor& item : tensors) {
    const torch::Tensor& tensor = plain.emplace_back(item.tensor.detach().cpu().contiguous());
    views.push_back({.name = item.name,
                     .type = type_of(item),
                     .shape = {tensor.sizes().begin(), tensor.sizes().end()},
                     .bytes = {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()}});
  }
  checkpoint::write_safetensors(sink, std::move(views), {{"format", "pt"}});
}

TensorsByName read_tensors(std::string_view file, std::span<const std::byte> bytes) {
  TensorsByName tensors;
  for (const TensorView& view : checkpoint::parse_safetensors(file, bytes).tensors) {
    tensors.emplace(view.name, tensor_of(view));
  }
  return tensors;
}

}  // namespace lockstep::snapshot
